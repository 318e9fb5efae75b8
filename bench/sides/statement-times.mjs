// Loaded into a server with --import: counts and times every SQL statement, and says so when the server ends.
import { StatementSync } from 'node:sqlite';

const times = new Map();

for (const method of ['run', 'all', 'get']) {
  const original = StatementSync.prototype[method];
  StatementSync.prototype[method] = function timed(...args) {
    const before = performance.now();
    const { user, system } = process.threadCpuUsage();
    try {
      return original.apply(this, args);
    } finally {
      const after = process.threadCpuUsage();
      note(this.sourceSQL, performance.now() - before, (after.user - user + after.system - system) / 1000);
    }
  };
}

function note(sql, wallMs, cpuMs) {
  // A statement for many rows is the same statement.
  const key = sql
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(\((\?, )*\?\))(, \((\?, )*\?\))+/g, '$1, …')
    .slice(0, 110);
  const known = times.get(key) ?? { count: 0, wallMs: 0, cpuMs: 0 };
  times.set(key, { count: known.count + 1, wallMs: known.wallMs + wallMs, cpuMs: known.cpuMs + cpuMs });
}

process.on('exit', () => {
  const sorted = [...times].sort((a, b) => b[1].wallMs - a[1].wallMs).slice(0, 30);
  console.error('   count    wall ms     cpu ms  µs each  statement');
  for (const [sql, { count, wallMs, cpuMs }] of sorted) {
    const cells = [count, wallMs.toFixed(0), cpuMs.toFixed(0), ((cpuMs * 1000) / count).toFixed(0)];
    console.error(`${cells.map((cell, index) => String(cell).padStart([8, 10, 10, 8][index])).join(' ')}  ${sql}`);
  }
});
