import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { writePrivately } from '../home.ts';

const Keys = z.object({ publicKey: z.string(), privateKey: z.string() });
export type PushKeys = z.infer<typeof Keys>;

/** The VAPID keys of this data folder, made when they are first needed. A new key would end every subscription. */
export async function readPushKeys(file: string): Promise<PushKeys> {
  const known = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (known !== null) return Keys.parse(JSON.parse(known));
  const { default: webPush } = await import('web-push');
  const keys = webPush.generateVAPIDKeys();
  await writePrivately(file, `${JSON.stringify(keys)}\n`);
  return keys;
}
