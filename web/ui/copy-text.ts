/** Whether it is in the clipboard now. A page that is not secure has none of its own, but may still copy what is selected. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

/** Leaves the keyboard where it is: whoever pressed a button wants to stay at it. */
function copySelected(text: string): boolean {
  const words = document.createElement('span');
  words.textContent = text;
  Object.assign(words.style, { position: 'fixed', top: '0', opacity: '0', whiteSpace: 'pre', userSelect: 'text' });
  document.body.append(words);
  const selection = getSelection();
  selection?.selectAllChildren(words);
  const isCopied = document.execCommand('copy');
  selection?.removeAllRanges();
  words.remove();
  return isCopied;
}
