export function NewAgentPage() {
  return null;
}
