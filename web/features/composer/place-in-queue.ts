/** Where something stands after it was dropped on another: in its place, the other makes room. */
export function placeAfterDrop(order: readonly string[], moved: string, target: string): number | null {
  const to = order.indexOf(target);
  return to < 0 || moved === target || !order.includes(moved) ? null : to;
}

/** One place up or down; null at the ends. */
export function placeBeside(order: readonly string[], moved: string, step: -1 | 1): number | null {
  const at = order.indexOf(moved);
  const to = at + step;
  return at < 0 || to < 0 || to >= order.length ? null : to;
}
