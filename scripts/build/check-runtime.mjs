// Plain JavaScript on purpose: it must be able to run, and explain itself, on any Node.
// See docs/decisions/0030-a-stage-is-a-settings-file-in-the-merchants-project.md: the npm package `node` puts the deployed runtime first on the PATH of every npm script.
import { existsSync, readdirSync, rmSync } from 'node:fs';

const wanted = 24;
const found = Number(process.versions.node.split('.')[0]);

if (found !== wanted) {
  console.error(`This project runs on Node ${wanted}, the runtime of its Lambdas, but this is ${process.version}
(${process.execPath}).

Node ${wanted} comes with the project, as the npm package "node". It is used when you
  1. run "npm ci" in this folder, with install scripts allowed (no --ignore-scripts), and
  2. start things with "npm test" or "npm run …", not with "node …" directly.

If "npm ci" reported that it skipped the install script of "node": npm rebuild node`);
  process.exit(1);
}

// The package brings the headers for compiling add-ons, too: 67 MB that nothing here includes.
const packages = 'node_modules/node/node_modules';
for (const name of existsSync(packages) ? readdirSync(packages) : []) {
  rmSync(`${packages}/${name}/include`, { recursive: true, force: true });
}
