import { afterEach, describe, expect, it } from 'vitest';
import { changeControl, readControl } from '../../../shared/core/calls/shop-pause.ts';
import { countMessages } from '../../support/event-source.ts';
import { IS_NIGHT } from '../../support/night.ts';
import { placeOrder, SHOP, useOperatedConnector } from '../../support/operated-connector.ts';

const operated = useOperatedConnector();
afterEach(() => {
  delete operated.breaks.faultOf;
});

const READS = /Get|Query|Scan|Describe|List|Receive|sts /;

/** What a command changes at AWS, call by call, and the fault of one of these calls. */
function breakAt(call: number, how: 'refused' | 'answer lost') {
  const calls: string[] = [];
  operated.breaks.faultOf = (operation) => {
    if (READS.test(operation)) return undefined;
    calls.push(operation);
    return calls.length === call ? how : undefined;
  };
  return calls;
}

const began = Date.now();
let scenes = 0;
/**
 * Each within the sixty days that an app sees, and never the same: a finished backfill of the same moment sends nothing.
 * So it is counted from one moment, not from now.
 */
const otherSince = () => {
  scenes += 1;
  return new Date(began - (2 * 86_400_000 + scenes * 60_000)).toISOString().slice(0, 16);
};

/** An order of which the service knows nothing. */
const sell = async () => operated.sell().id;

interface Scene {
  /** Something that only the command brings to the service: the id of an order. */
  readonly prepare: () => Promise<string>;
  readonly line: (id: string) => string;
  /** What the command says to do first where it is repeated. */
  readonly first?: string;
}

const COMMANDS: Readonly<Record<string, Scene>> = {
  resend: { prepare: sell, line: (id) => `resend order ${id} --yes --wait` },
  backfill: {
    prepare: sell,
    line: () => `backfill orders --since ${otherSince()} --rate 1000 --yes`,
  },
  'dead-letters replay': {
    async prepare() {
      operated.loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 30 });
      const id = await placeOrder(operated);
      await operated.work();
      operated.loyalty.faults.clear();
      return id;
    },
    line: () => 'dead-letters replay --yes --wait',
    // Killed between the list and the queue, a dead letter is in the queue alone: the repetition says so.
    first: 'dead-letters scan',
  },
  recover: { prepare: sell, line: () => 'recover --yes' },
  'go-live': {
    async prepare() {
      const observing = Date.now() - 3_600_000;
      await changeControl(operated.ledger, SHOP, (one) => ({ ...one, observing }));
      const id = await placeOrder(operated);
      await operated.work();
      return id;
    },
    line: () => 'go-live --no-other --yes',
  },
};

async function endOf(id: string) {
  await operated.work();
  const orders = operated.loyalty.state().orders.filter(({ OriginalId }) => OriginalId === id);
  const control = await readControl(operated.ledger, SHOP);
  const { url, deadLetterUrl } = operated.queues.urls.orders;
  return {
    orders: orders.map(({ OrderTotal, points }) => ({ OrderTotal, points })),
    waiting: await countMessages(operated.sqs, url),
    dead: await countMessages(operated.sqs, deadLetterUrl),
    observing: control.observing,
    isCompared: control.doubt === undefined || control.doubt.comparedAt !== undefined,
  };
}

const [REFUSED, LOST] = ['refused', 'answer lost'] as const;
/** They wait for a comparison: of each call one of the faults, and of every third call by day. */
const SLOW: ReadonlySet<string> = new Set(['recover', 'go-live']);

describe.each(Object.entries(COMMANDS))('%s', { timeout: 1_200_000 }, (name, scene) => {
  const { prepare, line, first } = scene;
  it('ends after a fault of any of its calls and a repetition as if there had been none', async () => {
    const whole = await prepare();
    const calls = breakAt(Number.POSITIVE_INFINITY, 'refused');
    await operated.atWork(operated.run(line(whole)));
    const expected = await endOf(whole);
    expect(expected).toMatchObject({
      orders: [{ OrderTotal: 50, points: 50 }],
      waiting: 0,
      dead: 0,
      isCompared: true,
    });
    const many = calls.length;
    expect(many).toBeGreaterThan(2);

    const step = SLOW.has(name) && !IS_NIGHT ? 3 : 1;
    for (let call = 1; call <= many; call += step) {
      for (const how of SLOW.has(name) ? [call % 2 === 0 ? LOST : REFUSED] : [REFUSED, LOST]) {
        const id = await prepare();
        const command = line(id);
        breakAt(call, how);
        await operated.atWork(operated.run(command));
        delete operated.breaks.faultOf;
        if (first !== undefined) await operated.run(first);
        const again = await operated.atWork(operated.run(command));
        expect(
          await endOf(id),
          `${how}: ${calls[call - 1]}\n${again.stdout}${again.stderr}`,
        ).toEqual(expected);
      }
    }
  });
});
