import type { Random } from '../../local/sandbox-kit/seeded-random.ts';
import { pick, wholeNumber } from './fuzz-target.ts';

/** Not UTF-8: a lone continuation, an overlong slash, half a pair, a byte that never occurs. */
const BROKEN_UTF8 = [
  [0x80],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xff],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
];

/** A copy with a few bytes changed, without regard to what they mean. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  let mutated = Buffer.from(bytes);
  const times = 1 + wholeNumber(random, 4);
  for (let time = 0; time < times; time += 1) mutated = mutateOnce(mutated, random);
  return mutated;
}

function mutateOnce(bytes: Buffer<ArrayBuffer>, random: Random): Buffer<ArrayBuffer> {
  const at = wholeNumber(random, bytes.length + 1);
  switch (wholeNumber(random, 6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return join(bytes, at, at, Buffer.from(pick(random, BROKEN_UTF8)));
    case 2:
      return join(bytes, at, at + 1 + wholeNumber(random, 32), Buffer.alloc(0));
    case 3:
      return join(bytes, at, at, bytes.subarray(at, at + wholeNumber(random, 64)));
    case 4: {
      const noise = Array.from({ length: 1 + wholeNumber(random, 8) }, () =>
        wholeNumber(random, 256),
      );
      return join(bytes, at, at, Buffer.from(noise));
    }
    default:
      return flipBit(bytes, at, wholeNumber(random, 8));
  }
}

function join(bytes: Buffer, from: number, to: number, between: Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.concat([bytes.subarray(0, from), between, bytes.subarray(to)]);
}

function flipBit(bytes: Buffer<ArrayBuffer>, at: number, bit: number): Buffer<ArrayBuffer> {
  const flipped = Buffer.from(bytes);
  const value = flipped[at];
  if (value !== undefined) flipped[at] = value ^ (1 << bit);
  return flipped;
}
