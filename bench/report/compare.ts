import type { Figure } from '../bench.ts';
import type { Samples } from '../measure/in-turns.ts';
import { ratiosOf, spreadOf } from './statistics.ts';

/** One figure of three variants that were measured in turns. */
export function compare<Measure>(
  figure: Omit<Figure, 'value' | 'peer' | 'floor' | 'spread' | 'ratio' | 'peerRatio'>,
  samples: Samples<Measure>,
  pick: (measure: Measure) => number,
): Figure {
  const connector = samples.connector.map(pick);
  const peer = samples.peer.map(pick);
  const floor = samples.floor.map(pick);
  const { median: value, ...spread } = spreadOf(connector);
  return {
    ...figure,
    value,
    spread,
    peer: spreadOf(peer).median,
    floor: spreadOf(floor).median,
    ratio: spreadOf(ratiosOf(connector, floor)),
    peerRatio: spreadOf(ratiosOf(peer, floor)),
  };
}
