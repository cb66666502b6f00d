import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bundleWidget } from '../../../infra/bundle-functions.ts';

const script = await bundleWidget(process.cwd());

describe('the script of the widget', () => {
  it('stays below 10 kB when compressed', () => {
    expect(gzipSync(script).length).toBeLessThan(10_000);
  });

  it('holds no way to make HTML or code of a text', () => {
    expect(script).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/);
    expect(script).not.toMatch(/new Function|DOMParser|createContextualFragment|srcdoc/);
  });

  it('asks nobody but the store that it is in', () => {
    expect(script).not.toMatch(/https?:\/\//);
  });
});
