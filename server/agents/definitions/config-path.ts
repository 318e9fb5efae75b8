/** Where a value stands, the way issues name it: `agents[2].extends`, `agents/todo.json: extends`. */
export interface ConfigPath {
  /** Set for a file of its own; `parley.json` is left out because its paths speak for themselves. */
  readonly file?: string;
  readonly path: readonly PropertyKey[];
}

export function configPathName(place: ConfigPath, ...more: PropertyKey[]): string {
  const path = pathName([...place.path, ...more]);
  if (place.file === undefined) return path === '' ? 'parley.json' : path;
  return path === '' ? `${place.file}:` : `${place.file}: ${path}`;
}

/** How one place speaks of another: the file, and where in it. */
export function configPathReference(place: ConfigPath): string {
  return place.file ?? `${pathName(place.path)} in parley.json`;
}

export function pathName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, key) => name + segment(key, name === ''), '');
}

function segment(key: PropertyKey, first: boolean): string {
  if (typeof key === 'number') return `[${key}]`;
  const text = String(key);
  if (/^[A-Za-z_$][\w$-]*$/.test(text)) return first ? text : `.${text}`;
  return `[${JSON.stringify(text.slice(0, 100))}]`;
}
