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

if (!findInstalled('node/package.json')) {
  const how = existsSync(sources) ? 'npm ci' : 'npm install';
  fail(`The packages of the connector are not installed. Run: ${how}`);
} else if (Number(process.versions.node.split('.')[0]) === wanted) {
  // Two thirds of a short command's time is compiling; a folder that cannot be written costs nothing.
  module.enableCompileCache(compiled);
  await import(
    existsSync(sources) ? sources : new URL('../../dist/scripts/connector/main.js', import.meta.url)
  );
} else if (ownNode) {
  startOver(ownNode);
} else {
  fail(
    `The connector runs on Node ${wanted}, which comes with it as the npm package "node": run "npm rebuild node", with install scripts allowed.`,
  );
}

function findInstalled(file) {
  try {
    return module.createRequire(launch).resolve(file);
  } catch {
    return undefined;
  }
}

function findOwnNode() {
  const manifest = findInstalled('node/package.json');
  const found = manifest && join(dirname(manifest), 'bin/node');
  return found && existsSync(found) ? found : undefined;
}

function fail(why) {
  console.error(why);
  process.exitCode = 1;
}

function startOver(node) {
  const child = spawn(node, [launch, ...process.argv.slice(2)], { stdio: 'inherit' });
  // Ctrl-C reaches the child by itself, and it may have something to finish: this one only waits.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => {
    fail(`${node} cannot be started: ${error.message}. Try "npm rebuild node".`);
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
}
