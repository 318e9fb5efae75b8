// `npm test`: everything, in the order in which a mistake is cheapest to find.
import { runChecks } from './checks.ts';
import { runTests } from './tests.ts';

const failed = await runChecks();
if (failed.length === 0 && !runTests(process.argv.slice(2))) failed.push('tests');
if (failed.length > 0) {
  console.error(`\nnpm test: ${failed.join(', ')} failed.`);
  process.exit(1);
}
