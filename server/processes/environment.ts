const PASSED = new Set(['PATH', 'HOME', 'USER', 'LANG', 'TZ', 'TMPDIR', 'TERM']);
const PASSED_PREFIX = 'LC_';

/** Setting one of these variables would run other code inside a program that was meant to do something else. */
const FORBIDDEN = new Set([
  'BASHOPTS',
  'BASH_ENV',
  'BROWSER',
  'CDPATH',
  'CLASSPATH',
  'EDITOR',
  'ENV',
  'GCONV_PATH',
  'GLOBIGNORE',
  'HOSTALIASES',
  'IFS',
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  'LESSCLOSE',
  'LESSOPEN',
  'LOCPATH',
  'LUA_INIT',
  'MANPAGER',
  'NLSPATH',
  'NODE_CHANNEL_FD',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_REPL_EXTERNAL_MODULE',
  'NODE_V8_COVERAGE',
  'OPENSSL_CONF',
  'OPENSSL_ENGINES',
  'OPENSSL_MODULES',
  'PAGER',
  'PHPRC',
  'PHP_INI_SCAN_DIR',
  'PROMPT_COMMAND',
  'PS4',
  'SHELL',
  'SHELLOPTS',
  'SSH_ASKPASS',
  'SUDO_ASKPASS',
  'VISUAL',
  'ZDOTDIR',
  '_JAVA_OPTIONS',
]);
/** Variables with which git starts other programs; those that name the author are allowed. */
const GIT_PROGRAMS = [
  'GIT_ASKPASS',
  'GIT_CONFIG',
  'GIT_EDITOR',
  'GIT_EXEC_PATH',
  'GIT_EXTERNAL_DIFF',
  'GIT_PAGER',
  'GIT_PROXY_COMMAND',
  'GIT_SEQUENCE_EDITOR',
  'GIT_SSH',
  'GIT_TEMPLATE_DIR',
];
const FORBIDDEN_PREFIXES = [
  'LD_',
  'DYLD_',
  'PYTHON',
  'BASH_FUNC_',
  'PERL',
  'RUBY',
  'LUA_INIT_',
  ...GIT_PROGRAMS,
  'NPM_CONFIG_',
  'YARN_',
  'PNPM_CONFIG_',
];

/** The environment of a program that we start: the few variables it needs, and those added on purpose. */
export function cleanEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  add: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const clean: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(from)) if (isPassed(name) && isWritable(name, value)) clean[name] = value;
  for (const [name, value] of Object.entries(add)) if (isWritable(name, value)) clean[name] = value;
  return clean;
}

export function isForbiddenVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return FORBIDDEN.has(upper) || FORBIDDEN_PREFIXES.some((prefix) => upper.startsWith(prefix));
}

function isPassed(name: string): boolean {
  return PASSED.has(name) || name.startsWith(PASSED_PREFIX);
}

function isWritable(name: string, value: string | undefined): value is string {
  return (
    value !== undefined && name !== '' && !/[=\0]/.test(name) && !value.includes('\0') && !isForbiddenVariable(name)
  );
}
