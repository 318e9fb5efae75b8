/** Where the person writes in the conversation that is shown: others may be kept behind it. */
export function shownBox(): HTMLTextAreaElement | undefined {
  const boxes = document.querySelectorAll<HTMLTextAreaElement>('[data-composer] textarea');
  return [...boxes].find((box) => box.checkVisibility());
}
