import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');

/** What answers requests may call. */
const VERBS = [
  'server/files',
  'server/shares',
  'server/panels',
  'server/artifacts',
  'server/schedules',
  'server/teams',
  'server/knowledge',
  'server/push',
  'server/webhooks',
  'server/memory',
  'server/turns',
  'server/delegation',
  'server/tools',
  'server/sessions',
  'server/imports',
  'server/agents',
  'server/events',
  'server/storage',
  'server/config',
  'server/metrics.ts',
  'server/validation.ts',
];

/** Which modules a module may import. A module may always import itself and `contract`. */
const MAY_IMPORT: Record<string, string[]> = {
  contract: [],
  client: [],
  'server/storage': ['server/fault-points.ts'],
  'server/events': ['server/storage', 'server/fault-points.ts'],
  'server/models': [],
  'server/tools': ['server/storage', 'server/events', 'server/processes', 'server/validation.ts', 'server/workspaces'],
  'server/processes': [],
  'server/workspaces': ['server/processes'],
  'server/agents': [
    'server/models',
    'server/tools',
    'server/processes',
    'server/config/environment.ts',
    'server/config/secrets.ts',
  ],
  'server/files': ['server/storage', 'server/events'],
  'server/sessions': ['server/storage', 'server/events', 'server/fault-points.ts', 'server/validation.ts'],
  'server/imports': ['server/sessions', 'server/events'],
  'server/shares': ['server/sessions', 'server/events', 'server/storage'],
  'server/artifacts': [
    'server/files',
    'server/workspaces',
    'server/sessions',
    'server/events',
    'server/storage',
    'server/tools',
  ],
  'server/panels': ['server/sessions', 'server/events', 'server/tools'],
  'server/knowledge': [
    'server/files',
    'server/models',
    'server/sessions',
    'server/events',
    'server/storage',
    'server/tools',
    'server/processes',
    'server/config/environment.ts',
    'server/fault-points.ts',
  ],
  'server/push': ['server/sessions', 'server/events', 'server/storage', 'server/tools', 'server/home.ts'],
  'server/schedules': [
    'server/sessions',
    'server/events',
    'server/storage',
    'server/tools',
    'server/turns',
    'server/fault-points.ts',
  ],
  'server/memory': ['server/sessions', 'server/events', 'server/storage', 'server/tools'],
  'server/webhooks': [
    'server/sessions',
    'server/events',
    'server/storage',
    'server/tools',
    'server/turns',
    'server/fault-points.ts',
  ],
  'server/turns': [
    'server/files',
    'server/workspaces',
    'server/sessions',
    'server/agents',
    'server/tools',
    'server/events',
    'server/storage',
    'server/fault-points.ts',
  ],
  'server/delegation': [
    'server/turns',
    'server/sessions',
    'server/agents',
    'server/tools',
    'server/events',
    'server/storage',
    'server/fault-points.ts',
  ],
  'server/http': [...VERBS, 'server/protocols/protocols.ts'],
  // The guard of server/http stands before its routes as well: what it has checked is not checked again.
  'server/protocols': [...VERBS, 'server/http'],
  'server/config': [
    'server/agents',
    'server/models',
    'server/tools',
    'server/validation.ts',
    'server/workspaces',
    'server/fault-points.ts',
  ],
  'server/teams': [
    'server/sessions',
    'server/agents',
    'server/tools',
    'server/events',
    'server/storage',
    'server/config',
    'server/fault-points.ts',
  ],
  'server/metrics.ts': [],
  'server/validation.ts': [],
  'server/home.ts': [],
  'server/fault-points.ts': [],
  'server/main.ts': ['*'],
  'server/open-tooling.ts': ['*'],
  'server/builder-deps.ts': ['*'],
  'server/housekeeping.ts': ['*'],
  web: ['client'],
  cli: [
    'client',
    'server/main.ts',
    'server/config',
    'server/storage/folder-lock.ts',
    'server/storage/thread.ts',
    'server/storage/sqlite.ts',
  ],
};

/** Modules of the server in which not even types are imported in a circle. */
const WITHOUT_TYPE_CIRCLES = [
  'server/delegation',
  'server/events',
  'server/files',
  'server/models',
  'server/processes',
  'server/shares',
  'server/storage',
  'server/turns',
];

/** The folders of `web/`, lowest layer first. A folder may look only into layers below its own: features and pages never into each other. */
const WEB_LAYERS: readonly RegExp[] = [
  /^frames$/,
  /^i18n$/,
  /^live$/,
  /^ui$/,
  /^markdown$/,
  /^state$/,
  /^artifacts$/,
  /^features\/(?!panels$)/,
  /^features\/panels$/,
  /^pages\//,
  /^app$/,
];

/** Everything else is loaded when it is first used: a start takes as long as what it loads. */
const LOADED_AT_START = ['@hono/node-server', 'croner', 'hono', 'kysely', 'pino', 'zod'];

const LOADED_BY_COMMANDS = ['commander', 'eventsource-parser'];

const files = ['contract', 'client', 'server', 'cli', 'web'].flatMap((folder) => listFiles(folder));
const imports = files.flatMap((file) => importsOf(file).map((target) => ({ file, target })));

describe('modules', () => {
  it.each(Object.keys(MAY_IMPORT))('%s imports only what it may', (module) => {
    const wrong = imports.filter(({ file, target }) => moduleOf(file) === module && !mayImport(module, target));
    expect(wrong).toEqual([]);
  });

  it('every file belongs to a module', () => {
    expect(files.filter((file) => !(moduleOf(file) in MAY_IMPORT))).toEqual([]);
  });

  it('no import goes round in a circle', () => {
    expect(findCycle(files, runtimeImportsOf)).toBeNull();
  });

  it('in the web, not even a type goes round in a circle', () => {
    expect(findCycle(files.filter(isWeb), importsOf)).toBeNull();
  });

  it.each(WITHOUT_TYPE_CIRCLES)('in %s, not even a type goes round in a circle', (module) => {
    expect(
      findCycle(
        files.filter((file) => moduleOf(file) === module),
        importsOf,
      ),
    ).toBeNull();
  });

  it('every folder of the web is in a layer', () => {
    expect(files.filter((file) => isWeb(file) && layerOf(file) < 0)).toEqual([]);
  });

  it('in the web, a folder looks only into layers below its own', () => {
    const inWeb = imports.filter(({ file, target }) => isWeb(file) && isWeb(target) && !target.endsWith('.css'));
    const across = inWeb.filter(({ file, target }) => webFolderOf(file) !== webFolderOf(target));
    expect(across.filter(({ file, target }) => layerOf(target) >= layerOf(file))).toEqual([]);
  });

  it('SQL is written only in storage and in stores', () => {
    const sql =
      /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql`|\bsql<|\b(?:statement|insertion|insertionOfMany)[<(]/;
    const places = files.filter((file) => file.startsWith('server/') && sql.test(read(file)));
    expect(places.filter((file) => !/^server\/storage\/|store\.ts$/.test(file))).toEqual([]);
  });

  it('only http and protocols know Hono', () => {
    const hono = files.filter((file) => /from '(hono|@hono\/)/.test(read(file)));
    expect(hono.filter((file) => !/^server\/(http|protocols)\/|^server\/main\.ts$/.test(file))).toEqual([]);
  });

  it('providers are told apart only where models are opened and agents are described', () => {
    const files_ = files.filter((file) => file.startsWith('server/') && /provider\s*[!=]==/.test(read(file)));
    expect(files_.filter((file) => !/^server\/(models|config|agents\/chat)\//.test(file))).toEqual([]);
  });

  it('a start of the server loads no library that only some of its users need', () => {
    const atStart = reachedFrom('server/main.ts');
    const packages = new Set(atStart.flatMap((file) => packagesOf(file)));
    expect([...packages].sort()).toEqual(LOADED_AT_START);
  });

  it('a command of the terminal loads no schemas, nor anything else that only few of them need', () => {
    const commands = files.filter((file) => file.startsWith('cli/commands/'));
    const packages = new Set(commands.flatMap((file) => reachedFrom(file).flatMap(packagesOf)));
    expect([...packages].sort()).toEqual(LOADED_BY_COMMANDS);
  });

  it('comments name their subject', () => {
    const vague = /\b(whoever|somebody|nobody|everybody)\b/i;
    const comments = files.flatMap(commentLinesOf);
    expect(comments.filter((comment) => vague.test(comment))).toEqual([]);
  });
});

function listFiles(folder: string): string[] {
  const entries = readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return entries
    .filter((entry) => /\.tsx?$/.test(entry))
    .map((entry) => `${folder}/${entry.replaceAll(path.sep, '/')}`);
}

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** The lines that are comments, each with its file and number. Strings and comments behind code are not looked at. */
function commentLinesOf(file: string): string[] {
  const lines = read(file).split('\n');
  const numbered = lines.map((line, index) => ({ line, at: `${file}:${index + 1}` }));
  const comments = numbered.filter(({ line }) => /^\s*(\/\/|\/?\*)/.test(line));
  return comments.map(({ line, at }) => `${at}: ${line.trim()}`);
}

function importsOf(file: string): string[] {
  const relative = read(file).matchAll(/(?:from|import\(?)\s*'(\.[^']+)'/g);
  return Array.from(relative, ([, target]) => path.posix.join(path.posix.dirname(file), target!));
}

function moduleOf(file: string): string {
  const [first, second] = file.split('/');
  if (first !== 'server') return first!;
  return `server/${second}`;
}

function mayImport(module: string, target: string): boolean {
  const allowed = MAY_IMPORT[module]!;
  if (moduleOf(target) === module || moduleOf(target) === 'contract' || allowed.includes('*')) return true;
  return allowed.includes(moduleOf(target)) || allowed.includes(target);
}

function isWeb(file: string): boolean {
  return file.startsWith('web/');
}

/** The files beside the folders put the app together, as `app/` does. A panel is a folder of its own. */
function webFolderOf(file: string): string {
  const folders = file.split('/').slice(1, -1);
  if (folders.length === 0) return 'app';
  if (folders[0] === 'features' && folders[1] === 'panels') return folders.slice(0, 3).join('/');
  return folders.slice(0, folders[0] === 'features' || folders[0] === 'pages' ? 2 : 1).join('/');
}

function layerOf(file: string): number {
  return WEB_LAYERS.findIndex((layer) => layer.test(webFolderOf(file)));
}

function findCycle(among: readonly string[], importsIn: (file: string) => string[]): string[] | null {
  const graph = new Map(among.map((file) => [file, importsIn(file)]));
  const done = new Set<string>();
  const walk = (file: string, trail: string[]): string[] | null => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of graph.get(file) ?? []) {
      const cycle = walk(next, [...trail, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return null;
  };
  for (const file of among) {
    const cycle = walk(file, []);
    if (cycle) return cycle;
  }
  return null;
}

function runtimeImportsOf(file: string): string[] {
  const relative = runtimeTargetsOf(file).filter((target) => target.startsWith('.'));
  return relative.map((target) => path.posix.join(path.posix.dirname(file), target));
}

function packagesOf(file: string): string[] {
  const foreign = runtimeTargetsOf(file).filter((target) => !/^(?:\.|node:)/.test(target));
  return foreign.map((target) => /^(?:@[^/]+\/)?[^/]+/.exec(target)![0]);
}

/** Type-only imports vanish when the code runs. */
function runtimeTargetsOf(file: string): string[] {
  return Array.from(
    read(file).matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from '([^']+)'/gms),
    ([, target]) => target!,
  );
}

/** A file and all that it imports, without what is imported later. */
function reachedFrom(file: string): string[] {
  const found = new Set([file]);
  for (const each of found) for (const next of runtimeImportsOf(each)) found.add(next);
  return [...found];
}
