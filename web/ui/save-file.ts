/** Hands a file to the browser's downloads. */
export function save(title: string, ending: string, type: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${fileName(title)}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function fileName(title: string): string {
  return (
    title
      .replace(/[^\p{L}\p{N}._ -]+/gu, ' ')
      .trim()
      .slice(0, 80) || 'session'
  );
}
