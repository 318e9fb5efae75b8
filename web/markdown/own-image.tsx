import { useFileAddress } from '../ui/own-file.ts';

/** A file of this server, shown as a picture. */
export default function OwnImage({ fileId, alt }: { fileId: string; alt: string }) {
  const address = useFileAddress(fileId);
  return <img src={address} alt={alt} className="max-h-80 rounded-md" />;
}
