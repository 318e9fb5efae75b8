import temml from 'temml';

const DEEPEST = 60;
const MOST_ELEMENTS = 3_000;
const MATHML = 'http://www.w3.org/1998/Math/MathML';

/** TeX as MathML elements, made one by one and never from markup. Null when it has mistakes or is too much to draw. */
export function drawFormula(tex: string, isDisplay: boolean): Element | null {
  if (nesting(tex) > DEEPEST) return null;
  const place = document.createElement('span');
  try {
    temml.render(withoutNumbers(tex), place, {
      displayMode: isDisplay,
      throwOnError: true,
      maxExpand: 100,
      maxSize: [10, 200],
    });
  } catch {
    // A mistake in the TeX, something that untrusted TeX may not do, or more nesting than can be followed.
    return null;
  }
  const math = place.firstElementChild;
  return math && isHarmless(math) ? math : null;
}

/** Environments that number their rows become those that do not: the numbers would start again in every formula. */
function withoutNumbers(tex: string): string {
  return tex.replace(/\\(begin|end)\{(equation|align|alignat|gather|multline)\}/g, '\\$1{$2*}');
}

function nesting(tex: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [mark] of tex.matchAll(/\\[{}]|\\left\b|\\right\b|\\begin\b|\\end\b|[{}]/g)) {
    if (mark === '{' || mark === '\\left' || mark === '\\begin') deepest = Math.max(deepest, ++depth);
    else if (mark === '}' || mark === '\\right' || mark === '\\end') depth -= 1;
  }
  return deepest;
}

/** Nothing but formulas, not too many elements and none too deep. Without names that something else could refer to. */
function isHarmless(math: Element): boolean {
  const elements = [math, ...math.querySelectorAll('*')];
  for (const element of elements) element.removeAttribute('id');
  const isFormula = (element: Element) => element.namespaceURI === MATHML && !element.hasAttribute('href');
  return elements.length <= MOST_ELEMENTS && elements.every(isFormula) && depthOf(math) <= DEEPEST;
}

function depthOf(root: Element): number {
  let level: Element[] = [root];
  let depth = 0;
  for (; level.length > 0 && depth <= DEEPEST; depth++) level = level.flatMap((element) => [...element.children]);
  return depth;
}
