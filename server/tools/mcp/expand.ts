import { ServerFailure } from './failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Fills `${NAME}` in from the variables that Parley itself was started with. */
export function expand(text: string, environment: Environment): string {
  return text.replace(VARIABLE, (_, name: string) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined || value === '') throw new ServerFailure(`The variable ${name} is not set.`);
    return value;
  });
}

export function expandAll(
  texts: Readonly<Record<string, string>>,
  environment: Environment,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expand(text, environment)]));
}
