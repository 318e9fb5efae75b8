const TABLE = `| Module | Owner | Lines | Rendering | Status | Notes |
|---|---|---:|---|:-:|---|
| invoice.ts | Coder | 1,204 | server | ✅ | split into three |
| totals.ts | Reviewer | 310 | both | ⏳ | rounding differs between currencies |
| export.ts | Researcher | 88 | none | ❌ | not started |`;

/** Everything that an answer can hold. */
export const ANSWERS = {
  short: 'The short version: it depends on the retry policy. Look at the *second* paragraph of the log first.',
  rich: `## How the totals are computed

The sum of a line is \`quantity × price\`, rounded **once**, at the end. See [the design note](https://example.com/notes/rounding).

\`\`\`ts
/** Rounds once, at the end: rounding each line first is off by up to n/2 cents. */
export function total(lines: readonly Line[]): Cents {
  const exact = lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  return Math.round(exact) as Cents; // a very long comment that does not fit on a telephone and has to be scrolled sideways
}
\`\`\`

${TABLE}

1. Read the lines
   - skip the ones that were cancelled
   - [x] keep the order
   - [ ] check the currency
2. Add them up

> A total that is shown is a total that is owed.

The error is at most $\\frac{n}{2}$ cents:

$$
E = \\left| \\sum_{i=1}^{n} \\operatorname{round}(x_i) - \\operatorname{round}\\left(\\sum_{i=1}^{n} x_i\\right) \\right| \\le \\frac{n}{2}
$$

---

A word that does not end: ${'supercalifragilistic'.repeat(8)}`,
  delegate: `I will have the file split and the result looked at.

<delegate to="team/coder">Split invoice.ts into pure functions. Keep the public names.</delegate>
<delegate to="team/reviewer">Check the rounding in totals.ts for every currency we support.</delegate>`,
  summary:
    'Both are done: the file is split into **three pure functions**, and the rounding is right for all currencies except JPY, which has no cents.',
  languages: `مرحبًا! كل شيء على ما يرام. هذه قائمة قصيرة:

- البند الأول مع كلمة English
- البند الثاني، وفيه رقم 42.

שלום עולם. זהו משפט בעברית, עם נקודה בסוף.

会議は午後三時に始まります。資料は \`agenda.pdf\` を見てください。

| اللغة | التحية |
|---|---|
| العربية | مرحبا |
| עברית | שלום |
| 日本語 | こんにちは |`,
  command: `set -euo pipefail
find build -name '*.map' -newer package.json -print0 | xargs -0 rm -f
echo "left: $(find build -type f | wc -l) files"`,
  lists: `# Release plan

## Before
- Freeze on Monday
- Ask everyone for their notes

### Risks
The migration takes *about ten minutes* on the largest database.

## After
Watch the error rate for an hour.`,
  streaming: `I have looked at the folder. There are **two** build scripts:

- \`scripts/build.ts\` makes the server
- \`scripts/build-web.ts\` makes the app

The second one is the slow one, because it`,
};
