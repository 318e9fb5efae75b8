export const STATE_FILE: string;
export function isBundleFresh(root: string): boolean;
export function isWebFresh(root: string): boolean;
export function sourcesState(root: string): string;
export function webState(root: string): string;
