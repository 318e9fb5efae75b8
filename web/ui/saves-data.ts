/** Whether the person has told the browser to load only what is needed. Chromium alone says so. */
export function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  return connection?.saveData === true;
}
