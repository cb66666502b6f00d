import { describe, expect, it } from 'vitest';
import { createPlaceOf, selfTimes } from '../../../bench/profile/self-time.ts';

const frame = (url: string, functionName = 'f', columnNumber = 0) => ({
  functionName,
  url,
  lineNumber: 0,
  columnNumber,
});

describe('the profile of a bundle', () => {
  it('gives each sample its own time and leaves out waiting', () => {
    const profile = {
      nodes: [
        { id: 1, callFrame: frame('node:net') },
        { id: 2, callFrame: frame('', '(idle)') },
        { id: 3, callFrame: frame('node:zlib') },
      ],
      samples: [1, 2, 3, 1],
      timeDeltas: [0, 10, 500, 30],
    };
    const times = selfTimes(profile, ({ url }) => url);
    expect(Object.fromEntries(times)).toEqual({ 'node:net': 10, 'node:zlib': 30 });
  });

  it('names a frame after the package, the folder or the part of Node that it comes from', () => {
    const sources = [
      'node_modules/@smithy/signature-v4/dist-es/SignatureV4.js',
      'node_modules/valibot/dist/index.mjs',
      'shared/core/mapping/map-order.ts',
      'functions/sync-orders/handler.ts',
    ];
    const placeOf = createPlaceOf('/index.js', ({ columnNumber }) => sources[columnNumber]);
    const places = [0, 1, 2, 3, 9].map((column) => placeOf(frame('file:///index.js', 'f', column)));
    expect(places).toEqual([
      '@smithy/*',
      'valibot',
      'shared/core',
      'functions/sync-orders',
      'the bundle around it',
    ]);
    expect(placeOf(frame('node:internal/crypto/hash'))).toBe('node: crypto');
    expect(placeOf(frame('node:_http_client'))).toBe('node: HTTP');
    expect(placeOf(frame('node:https'))).toBe('node: TLS');
    expect(placeOf(frame('node:internal/bootstrap/realm'))).toBe('node: loading modules');
    expect(placeOf(frame('', '(garbage collector)'))).toBe('collecting garbage');
    expect(placeOf(frame('', 'parse'))).toBe('built into V8');
  });
});
