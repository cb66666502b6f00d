/** The parts of V8's profile that are read here. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
  }[];
  readonly samples: readonly number[];
  /** Microseconds from each sample to the one before. */
  readonly timeDeltas: readonly number[];
}

export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** Microseconds that each place spent in itself, without waiting. */
export function selfTimes(
  { nodes, samples, timeDeltas }: CpuProfile,
  placeOf: (frame: CallFrame) => string,
): ReadonlyMap<string, number> {
  const places = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const frame = places.get(id);
    if (!frame || frame.functionName === '(idle)') continue;
    const place = placeOf(frame);
    // A sample lasts until the next one.
    times.set(place, (times.get(place) ?? 0) + (timeDeltas[index + 1] ?? 0));
  }
  return times;
}

/** Names of what a frame belongs to: a package, a folder of ours, a part of Node. */
export function createPlaceOf(
  bundle: string,
  sourceOf: (frame: CallFrame) => string | undefined,
): (frame: CallFrame) => string {
  return (frame) => {
    const { url, functionName } = frame;
    if (url.startsWith('node:')) return placeInNode(url);
    if (url.endsWith(bundle)) return placeInSource(sourceOf(frame) ?? '');
    if (functionName === '(garbage collector)') return 'collecting garbage';
    if (functionName === '(program)') return 'native code, system calls';
    return url === '' ? 'built into V8' : 'the bench itself';
  };
}

const NODE_PARTS: readonly (readonly [RegExp, string])[] = [
  [/^node:(?:internal\/modules|internal\/bootstrap|module)/, 'node: loading modules'],
  [/^node:(?:internal\/)?_?http(?!s)/, 'node: HTTP'],
  [/^node:(?:internal\/)?(?:_?tls|https)/, 'node: TLS'],
  [/^node:(?:internal\/)?crypto/, 'node: crypto'],
  [/^node:(?:internal\/)?zlib/, 'node: zlib'],
  [
    /^node:(?:internal\/)?(?:net|dns|_?stream|timers|events|async_hooks|process\/task|fixed_queue|freelist)/,
    'node: events, sockets, streams',
  ],
];

function placeInNode(url: string): string {
  return NODE_PARTS.find(([pattern]) => pattern.test(url))?.[1] ?? 'node: the rest';
}

function placeInSource(source: string): string {
  const [, library] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? [];
  if (library) return library.startsWith('@smithy/') ? '@smithy/*' : library;
  const folders = source.split('/').slice(0, -1);
  return folders.slice(0, 2).join('/') || 'the bundle around it';
}
