export const STATE_FILE: string;
export function isBundleFresh(root: string): boolean;
export function sourcesState(root: string): string;
