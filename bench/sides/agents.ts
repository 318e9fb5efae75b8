/** Who answers, and who is asked by it. */
export const AGENT = 'bench';
export const DELEGATE = 'bench-delegate';
