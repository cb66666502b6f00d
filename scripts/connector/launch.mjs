#!/usr/bin/env node
// Plain JavaScript on purpose: it must be able to run on any Node. The command line itself runs on the
// Node that comes with the connector; npx and npm put that one first on the PATH, a plain start does not.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const wanted = 24;
const launch = fileURLToPath(import.meta.url);
const ownNode = findOwnNode();
// In the clone the sources are beside this file; the package has them compiled.
const sources = new URL('./main.ts', import.meta.url);
const compiled = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

if (Number(process.versions.node.split('.')[0]) === wanted) {
  // Two thirds of a short command's time is compiling; a folder that cannot be written costs nothing.
  module.enableCompileCache(compiled);
  await import(
    existsSync(sources) ? sources : new URL('../../dist/scripts/connector/main.js', import.meta.url)
  );
} else if (ownNode) {
  startOver(ownNode);
} else {
  console.error(
    `The connector runs on Node ${wanted}, which comes with it as the npm package "node": run "npm ci" first, with install scripts allowed.`,
  );
  process.exitCode = 1;
}

function findOwnNode() {
  try {
    const manifest = module.createRequire(launch).resolve('node/package.json');
    const found = join(dirname(manifest), 'bin/node');
    return existsSync(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function startOver(node) {
  const child = spawn(node, [launch, ...process.argv.slice(2)], { stdio: 'inherit' });
  // Ctrl-C reaches the child by itself, and it may have something to finish: this one only waits.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => {
    console.error(`${node} cannot be started: ${error.message}. Try "npm rebuild node".`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
}
