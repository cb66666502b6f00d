// Plain JavaScript on purpose: npm may run it on any Node.
// The npm package `node` brings the headers for compiling add-ons, 67 MB that nothing here includes.
import { existsSync, readdirSync, rmSync } from 'node:fs';

const packages = 'node_modules/node/node_modules';
for (const name of existsSync(packages) ? readdirSync(packages) : []) {
  rmSync(`${packages}/${name}/include`, { recursive: true, force: true });
}
