import module from 'node:module';

// Before anything of ours is loaded, so that all of it is compiled once and not at every start.
module.enableCompileCache();
const { execute } = await import('./program.ts');
await execute(process.argv.slice(2));
