export type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Fills `${NAME}` in. An empty variable counts as missing: that is how shells unset things. */
export function expand(text: string, env: Environment): { value: string; missing: string[] } {
  const missing: string[] = [];
  const value = text.replace(VARIABLE, (_, name: string) => {
    const found = variable(env, name);
    if (found === undefined) missing.push(name);
    return found ?? '';
  });
  return { value, missing };
}

export function variable(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name]?.trim() : undefined;
  return value === '' ? undefined : value;
}

export function onlyNamesVariable(text: string): boolean {
  return /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(text);
}
