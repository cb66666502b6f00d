import { execFileSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { freeze, type Golden, goldenOf, writeGolden } from './golden.ts';
import { type Pins, pinsOf, STACKS } from './logical-ids.ts';
import { readable } from './messages.ts';
import { openSections } from './sections.ts';

// Run by `npm run golden`: writes what no golden file has yet. What one has is replaced only with --rewrite, which
// is for the time before its release.
const rewrites = process.argv.includes('--rewrite');
const isReleased =
  execFileSync('git', ['tag', '--list', 'v1.0.0-rc.2'], { encoding: 'utf8' }) !== '';
if (rewrites && isReleased) {
  throw new Error(
    'form 1 was released with 1.0.0-rc.2: what it wrote is read for ever (docs/upgrades.md)',
  );
}

const { sections, stop } = await openSections();
for (const [section, samples] of Object.entries(sections)) {
  const before = goldenOf(section);
  // In their order: a difference shows only the samples that changed.
  const kept = Object.entries(before).filter(([name]) => !rewrites || samples[name]?.write);
  const golden: Record<string, Golden> = Object.fromEntries(kept);
  for (const [name, sample] of Object.entries(samples)) {
    const known = before[name];
    if (!sample.write) continue;
    const now = await freeze(sample);
    if (known && isDeepStrictEqual(readable(known), readable(now))) golden[name] = known;
    else if (!known || rewrites) {
      golden[name] = now;
      console.log(`${known ? 'rewritten' : 'new'}: ${section}, ${name}`);
    } else console.log(`differs, and was left as it is: ${section}, ${name}`);
  }
  writeGolden(section, golden);
}
await stop();

const pins = goldenOf('logical-ids') as unknown as Record<string, Pins>;
for (const stack of Object.keys(STACKS) as (keyof typeof STACKS)[]) {
  const [before, now] = [rewrites ? undefined : pins[stack], pinsOf(stack)];
  pins[stack] = {
    resources: { ...now.resources, ...before?.resources },
    outputs: [...new Set([...now.outputs, ...(before?.outputs ?? [])])].toSorted(),
  };
}
writeGolden('logical-ids', pins as never);
