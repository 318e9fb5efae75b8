/** The ones that occur in texts; whatever else there is stays as it is written. */
const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  shy: '',
  zwnj: '',
  zwj: '',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  sbquo: '‚',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  laquo: '«',
  raquo: '»',
  lsaquo: '‹',
  rsaquo: '›',
  bull: '•',
  middot: '·',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  para: '¶',
  sect: '§',
  plusmn: '±',
  times: '×',
  divide: '÷',
  minus: '−',
  le: '≤',
  ge: '≥',
  ne: '≠',
  asymp: '≈',
  infin: '∞',
  larr: '←',
  rarr: '→',
  uarr: '↑',
  darr: '↓',
  harr: '↔',
  frac12: '½',
  frac14: '¼',
  frac34: '¾',
  sup1: '¹',
  sup2: '²',
  sup3: '³',
  micro: 'µ',
  cent: '¢',
  pound: '£',
  yen: '¥',
  euro: '€',
  iexcl: '¡',
  iquest: '¿',
  ordf: 'ª',
  ordm: 'º',
  szlig: 'ß',
  aelig: 'æ',
  AElig: 'Æ',
  oslash: 'ø',
  Oslash: 'Ø',
  aring: 'å',
  Aring: 'Å',
  ccedil: 'ç',
  Ccedil: 'Ç',
  ntilde: 'ñ',
  Ntilde: 'Ñ',
};
const ACCENTS: Record<string, string> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
};

/** Read without their semicolon as well; others may be part of an address. */
const OPEN = new Set(['amp', 'lt', 'gt', 'quot', 'nbsp']);

export function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,15}));?/g,
    (all, decimal, hex, name) => {
      if (name !== undefined) return all.endsWith(';') || OPEN.has(name) ? (named(name) ?? all) : all;
      return character(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
    },
  );
}

function named(name: string): string | undefined {
  if (Object.hasOwn(NAMED, name)) return NAMED[name];
  const accent = /^[aeinouyAEINOUY]/.test(name) ? name.slice(1) : '';
  return Object.hasOwn(ACCENTS, accent) ? `${name[0]}${ACCENTS[accent]}`.normalize('NFC') : undefined;
}

function character(code: number): string {
  const isText = code > 31 && code < 0x110000 && !(code >= 0xd800 && code < 0xe000) && !(code >= 127 && code < 160);
  if (isText) return String.fromCodePoint(code);
  return code === 9 || code === 10 || code === 13 ? ' ' : '';
}
