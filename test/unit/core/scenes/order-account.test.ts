import { describe, expect, it } from 'vitest';
import {
  BANK_CARD,
  exactly,
  GIFT_CARD,
  openScene,
  type Scene,
  type SceneOrder,
  STORE_CREDIT,
  sameOrPerson,
} from '../../../support/order-scene.ts';

/*
 * Scenes from the text of issue 45, section 2, written without reading the code. `it.fails` marks what was wrong when
 * they were written; each mark names its scene and what was counted instead. Where a scene becomes right, its test
 * turns red: remove the mark.
 */

const shirts = (quantity: number, price = 50) => ({ title: 'Shirt', price, quantity });
const COAT = { title: 'Coat', price: 80 };
const SOCKS = { title: 'Socks', price: 15 };

type Sale = Parameters<Scene['sell']>[0];
type Settings = Parameters<typeof openScene>[0];
type Happens = (order: SceneOrder, scene: Scene) => unknown;

const SEND_GROSS: Settings = { assumptions: { raiseAfterPartialCancel: 'send-gross' } };

/** Both answers to a raise after a partial cancel: what was never taken needs none. */
const RAISES = ['park', 'send-gross'] as const;

describe('1: an order that was taken over', () => {
  /** `met`: the scan of go-live saw the order; else the change is the first that we hear of it. */
  async function takenOver(sale: Sale, otherTotal: number, met: boolean, settings?: Settings) {
    const scene = openScene(settings);
    await scene.observe();
    const order = await scene.sell(sale);
    await scene.otherSends(order, otherTotal);
    await scene.goLive({ meets: met });
    expect(await order.settled()).toEqual(exactly(otherTotal));
    return { scene, order };
  }

  const ONE_SHIRT = { lines: [shirts(1)], shipping: 7 };
  const TWO_SHIRTS = { lines: [shirts(2)] };
  const UNPAID = { ...TWO_SHIRTS, paidBy: 'nothing' } as const;

  const allBack: readonly (readonly [string, Happens])[] = [
    ['by a refund', (order) => order.refund({ Shirt: 1 })],
    [
      'by a return whose money follows',
      async (order, scene) => {
        const back = order.takeReturn({ Shirt: 1 });
        await scene.process();
        order.refundReturn(back);
      },
    ],
    [
      'by an edit whose money follows',
      async (order, scene) => {
        order.edit({ Shirt: 0 });
        await scene.process();
        order.refundAmount(50);
      },
    ],
  ];
  const later: readonly (readonly [string, Sale, Happens, number])[] = [
    ...allBack.map(
      ([how, happens]) =>
        [`loses all points whose goods all come back ${how}`, ONE_SHIRT, happens, 0] as const,
    ),
    [
      'counts a line that is added',
      TWO_SHIRTS,
      (order: SceneOrder) => order.edit({}, [SOCKS]),
      115,
    ],
    [
      'that was unpaid counts no gift card that pays it',
      UNPAID,
      (order: SceneOrder) => {
        order.pay(40, GIFT_CARD);
        order.pay();
      },
      60,
    ],
    [
      'that was unpaid counts nothing if a gift card pays all of it',
      UNPAID,
      (order: SceneOrder) => order.pay('rest', GIFT_CARD),
      0,
    ],
    [
      'that was unpaid counts no store credit that pays it',
      UNPAID,
      (order: SceneOrder, scene: Scene) => {
        scene.giveCredit(40);
        order.pay(40, STORE_CREDIT);
        order.pay();
      },
      60,
    ],
  ];

  it.each(later)('%s, if the scan met it before', async (_, sale, happens, counts) => {
    const { scene, order } = await takenOver(sale, sale === ONE_SHIRT ? 50 : 100, true);
    await happens(order, scene);
    expect(await order.settled()).toEqual(exactly(counts));
  });

  // Issue 45, scene 1. Counted were 50, 50, 50, 100, 100, 100 and 100, silently.
  it.each(later)('%s, if we first hear of it then', async (_, sale, happens, counts) => {
    const { scene, order } = await takenOver(sale, sale === ONE_SHIRT ? 50 : 100, false);
    await happens(order, scene);
    expect(await order.settled()).toEqual(exactly(counts));
  });

  it.each([true, false])('loses a part that an edit takes out (met before: %s)', async (met) => {
    const { order } = await takenOver(TWO_SHIRTS, 100, met);
    order.edit({ Shirt: 1 });
    expect(await order.settled()).toEqual(exactly(50));
  });

  it.each([true, false])('ends when the store cancels it (met before: %s)', async (met) => {
    const { order } = await takenOver(TWO_SHIRTS, 100, met);
    order.cancel();
    expect(await order.settled()).toEqual(exactly('cancelled'));
  });

  it('keeps another amount of the other integration while nothing changes', async () => {
    const { order } = await takenOver({ ...TWO_SHIRTS, shipping: 7 }, 107, true);
    order.tag();
    expect(await order.settled()).toEqual(exactly(107));
  });

  it.each([true, false])(
    'is never left quietly with another amount once it changes (met before: %s)',
    async (met) => {
      const { order } = await takenOver({ ...TWO_SHIRTS, shipping: 7 }, 107, met);
      order.refund({ Shirt: 1 });
      const settled = await order.settled();
      expect(settled).toEqual(sameOrPerson(settled, 57));
    },
  );

  /** `before`: the other integration counted it when the dispute was open, and nothing but the dispute changed since. */
  it.each([
    [false, 100, 0],
    [true, 100, 0],
    [true, 0, 0],
    // Whether its 7 are what a lost dispute leaves, or it counted 93 less than we do, nobody knows.
    [true, 7, 'person'],
  ])(
    'whose lost dispute is the first that we hear of (opened before: %s) counts nothing if it counted %d',
    async (before, otherTotal, counts) => {
      const scene = openScene({ rules: { lostDisputes: 'take-back' } });
      await scene.observe();
      const order = await scene.sell(TWO_SHIRTS);
      if (before) order.dispute();
      await scene.process();
      await scene.otherSends(order, otherTotal);
      await scene.goLive({ meets: false });
      if (!before) order.dispute();
      order.loseDispute();
      const { counts: counted, asksPerson } = await order.settled();
      expect(asksPerson ? 'person' : counted).toBe(counts);
    },
  );

  // Counted was 100 under its number and 115 under its id, silently.
  it.each([true, false])(
    'asks a person when it is paid again after all its money went back (met before: %s)',
    async (met) => {
      const { order } = await takenOver(TWO_SHIRTS, 100, met);
      order.refundAmount(100);
      expect(await order.settled()).toEqual(exactly('cancelled'));
      order.edit({}, [SOCKS]);
      order.pay();
      expect(await order.settled()).toEqual({ counts: 'cancelled', asksPerson: true });
    },
  );

  it('is not sent a second time', async () => {
    const { order } = await takenOver(TWO_SHIRTS, 100, true);
    for (const step of [1, 2]) {
      order.tag();
      expect([step, await order.settled()]).toEqual([step, exactly(100)]);
    }
  });
});

const HALF_BY_GIFT_CARD = {
  lines: [shirts(2)],
  paidBy: { [GIFT_CARD]: 40, [BANK_CARD]: 'rest' },
} as const;

describe('2: goods that an edit removes, of which a gift card paid a part', () => {
  const opened = async () => {
    const scene = openScene();
    const order = await scene.sell(HALF_BY_GIFT_CARD);
    expect(await order.settled()).toEqual(exactly(60));
    return { scene, order };
  };

  // Issue 45, scene 2. Counted was 10: what the store still owes was taken as kept from the gift card.
  it('lose only what is certain while the store owes the customer money', async () => {
    const { order } = await opened();
    order.edit({ Shirt: 1 });
    expect(await order.settled()).toEqual(exactly(50));
  });

  // Issue 45, scene 2. Counted was 10, with a dead letter.
  it.each(['in one go', 'one after the other'])(
    'count 50 once the gift card has its 40.00 and the bank card 10.00, %s',
    async (how) => {
      const { scene, order } = await opened();
      order.edit({ Shirt: 1 });
      await scene.process();
      scene.pass(1);
      order.refundAmount(40, GIFT_CARD);
      if (how !== 'in one go') await scene.process();
      order.refundAmount(10, BANK_CARD);
      expect(await order.settled()).toEqual(exactly(50));
    },
  );

  it('count 50 as well if all of it is processed together', async () => {
    const { order } = await opened();
    order.edit({ Shirt: 1 });
    order.refundAmount(40, GIFT_CARD);
    order.refundAmount(10, BANK_CARD);
    expect(await order.settled()).toEqual(exactly(50));
  });

  it('count 10 if all of the money goes to the bank card', async () => {
    const { scene, order } = await opened();
    order.edit({ Shirt: 1 });
    await scene.process();
    scene.pass(1);
    order.refundAmount(50, BANK_CARD);
    expect(await order.settled()).toEqual(exactly(10));
  });
});

// Found by the law of lost ledgers. Counted was 100: a webhook does not say what was received, and looked unchanged.
it('money that arrives in the second of a change that was processed is not overlooked', async () => {
  const scene = openScene();
  const order = await scene.sell({ lines: [shirts(2)] });
  order.refund({}, { amount: '30', pending: 'rise' });
  await scene.process();
  const { clock } = scene.shop;
  clock.ms = Math.ceil(clock.ms / 1000) * 1000;
  order.tag();
  await scene.process();
  clock.ms += 300;
  // At this moment: other actions of a scene take a minute.
  scene.shop.attempt('settleRefund', { orderId: order.id, outcome: 'success' });
  expect(await order.settled()).toEqual(exactly(70));
});

it('the money of a return takes nothing twice, although more was added before it went back', async () => {
  const scene = openScene(SEND_GROSS);
  const order = await scene.sell({ lines: [shirts(2)] });
  const back = order.takeReturn({ Shirt: 1 });
  expect(await order.settled()).toEqual(exactly(50));
  order.edit({}, [COAT]);
  expect(await order.settled()).toEqual(exactly(130));
  order.refundReturn(back);
  expect(await order.settled()).toEqual(exactly(130));
});

/** `lost`, `unnoticed`: nobody noticed yet that the ledger was lost or restored; the others were followed by `recover`. */
const ACCIDENTS = ['lost', 'recovered', 'restored', 'unnoticed'] as const;
const NOTICED: ReadonlySet<string> = new Set(['recovered', 'restored']);

interface Life {
  readonly sale: Sale;
  readonly steps: readonly Happens[];
  /** What docs/mapping.md says of the order after the last step. */
  readonly counts: number;
  readonly settings?: Settings;
}

/** The ledger is lost before this step; all others are processed one by one. */
async function playAround(
  life: Life,
  accident: (typeof ACCIDENTS)[number] | 'none',
  before: number,
) {
  const scene = openScene(life.settings);
  const order = await scene.sell(life.sale);
  if (accident === 'restored' || accident === 'unnoticed') scene.copyLedger();
  for (const [index, happens] of life.steps.entries()) {
    if (index === before) await scene.loseLedger({ recovered: NOTICED.has(accident) });
    await happens(order, scene);
    await scene.process();
  }
  if (before === life.steps.length) {
    await scene.loseLedger({ recovered: NOTICED.has(accident) });
    order.tag();
  }
  return order.settled();
}

/** Before any step or after the last one: the order ends as without the loss, or a person is asked. */
async function expectSameAroundLoss(
  life: Life,
  accidents: readonly (typeof ACCIDENTS)[number][] = ACCIDENTS,
): Promise<void> {
  const wrong: unknown[] = [];
  const play = async (accident: (typeof ACCIDENTS)[number] | 'none', before: number) => {
    const settled = await playAround(life, accident, before);
    const { counts } = sameOrPerson(settled, life.counts);
    if (settled.counts !== counts) wrong.push({ accident, before, ...settled });
  };
  await play('none', -1);
  for (const accident of accidents) {
    for (let before = 0; before <= life.steps.length; before += 1) await play(accident, before);
  }
  expect(wrong).toEqual([]);
}

describe('3: a ledger that is lost or restored between two steps', () => {
  const TEN = { lines: [shirts(10, 10)] };
  const RETURNED: Happens[] = [
    (order) => void order.takeReturn({ Shirt: 2 }),
    (order) => void order.takeReturn({ Shirt: 3 }),
  ];
  const refundOf =
    (number: number): Happens =>
    (order) =>
      order.refundReturn(order.row().returns[number]?.id ?? '');

  // Issue 45, scene 3. Counted was 0, silently, if the ledger was lost between edit and refund.
  it('changes nothing for goods removed by an edit, of which a gift card paid a part', () =>
    expectSameAroundLoss({
      sale: HALF_BY_GIFT_CARD,
      steps: [
        (order) => order.edit({ Shirt: 1 }),
        (order, scene) => {
          scene.pass(1);
          order.refundAmount(40, GIFT_CARD);
          order.refundAmount(10, BANK_CARD);
        },
      ],
      counts: 50,
    }));

  // Issue 45, scene 3. Counted was 30, silently, if it was lost between the returns.
  it('changes nothing for returns of 20 and 30 of an order of 100', () =>
    expectSameAroundLoss({ sale: TEN, steps: RETURNED, counts: 50 }));

  // Issue 45, scene 3. Counted was 30, as above.
  it('changes nothing for returns whose money follows', () =>
    expectSameAroundLoss({
      sale: TEN,
      steps: [...RETURNED, refundOf(0), refundOf(1)],
      counts: 50,
    }));

  // Found by the law of lost ledgers. Counted was 100, silently, if nobody had run `recover`.
  it('changes nothing for a line that is added', () =>
    expectSameAroundLoss({
      sale: TEN,
      steps: [(order) => order.edit({}, [SOCKS])],
      counts: 115,
    }));

  // Issue 45, scene 3. Counted was 50 instead of 70 if it was lost after the return.
  it('changes nothing for a return, and money that goes back without a line', () =>
    expectSameAroundLoss({
      sale: TEN,
      steps: [
        (order) => void order.takeReturn({ Shirt: 2 }),
        // The store owed 20.00 of it.
        (order) => order.refundAmount(30),
      ],
      counts: 70,
    }));

  it.each<readonly [string, Life]>([
    [
      'refunds of lines',
      {
        sale: TEN,
        steps: [(order) => order.refund({ Shirt: 2 }), (order) => order.refund({ Shirt: 3 })],
        counts: 50,
      },
    ],
    [
      'refunds of amounts',
      {
        sale: TEN,
        steps: [(order) => order.refundAmount(20), (order) => order.refundAmount(30)],
        counts: 50,
      },
    ],
    [
      'edits whose money follows',
      {
        sale: TEN,
        steps: [
          (order) => order.edit({ Shirt: 8 }),
          (order) => order.refundAmount(20),
          (order) => order.edit({ Shirt: 5 }),
          (order) => order.refundAmount(30),
        ],
        counts: 50,
      },
    ],
    [
      'a removed shirt whose money all goes to the bank card',
      {
        sale: HALF_BY_GIFT_CARD,
        steps: [(order) => order.edit({ Shirt: 1 }), (order) => order.refundAmount(50)],
        counts: 10,
      },
    ],
  ])('changes nothing for %s', (_, life) => expectSameAroundLoss(life));
});

// Found by the law of lost ledgers. It stayed completed: by itself, it looked as if it had never been so.
it('an order that cost nothing is cancelled with the store, whoever lost the ledger', async () => {
  const discounts = [{ title: 'Kindness', amount: '100' }];
  const sale = { lines: [shirts(2)], discounts, paidBy: 'nothing' } as const;
  const settings = { rules: { completeWhen: 'paid' } } as const;
  const steps: Happens[] = [(order) => order.tag(), (order) => order.cancel()];
  for (const accident of ACCIDENTS) {
    const settled = await playAround({ sale, steps, settings, counts: 0 }, accident, 1);
    expect([accident, settled]).toEqual([accident, exactly('cancelled')]);
  }
});

describe('4: shipping that is refunded as store credit', () => {
  const sale = (byGiftCard: number) => ({
    lines: [COAT],
    shipping: 20,
    paidBy: { [GIFT_CARD]: byGiftCard, [BANK_CARD]: 'rest' as const },
  });
  /** Whether Shopify then lists the credit among the order's gateways is not documented. */
  const refundShipping = (listsGateway: boolean) => (order: SceneOrder) => {
    if (listsGateway) order.become(({ gateways }) => ({ gateways: [...gateways, STORE_CREDIT] }));
    order.refund({}, { shipping: 'all', to: 'store-credit' });
  };

  // Issue 45, scene 4. Counted was 64 each time.
  it.each([
    [5, 76, true],
    [5, 76, false],
    [0.01, 79.99, true],
    [0.01, 79.99, false],
  ])(
    'leaves a coat alone of which a gift card paid %d: %d, gateway listed: %s',
    async (byGiftCard, counts, listsGateway) => {
      const scene = openScene();
      const order = await scene.sell(sale(byGiftCard));
      expect(await order.settled()).toEqual(exactly(counts));
      refundShipping(listsGateway)(order);
      expect(await order.settled()).toEqual(exactly(counts));
    },
  );

  // Issue 45, scene 4 with a lost ledger. Counted was 64 each time, silently.
  it.each([true, false])('leaves it alone after a loss, gateway listed: %s', (listsGateway) =>
    expectSameAroundLoss({ sale: sale(5), steps: [refundShipping(listsGateway)], counts: 76 }),
  );

  async function paidByMoney(listsGateway: boolean) {
    const scene = openScene();
    const order = await scene.sell({ lines: [COAT], shipping: 20 });
    refundShipping(listsGateway)(order);
    return order.settled();
  }

  it('leaves a coat alone that money paid', async () => {
    expect(await paidByMoney(false)).toEqual(exactly(80));
  });

  // Issue 45, scene 4: right in either case. Counted was 64.
  it('leaves a coat alone that money paid, if the gateway is listed', async () => {
    expect(await paidByMoney(true)).toEqual(exactly(80));
  });
});

describe('5: an order that was shipped while its payment was authorized only', () => {
  const sale = { lines: [shirts(1)], paidBy: 'authorized' } as const;
  const steps: Happens[] = [(order) => order.voidPayment(), (order) => order.pay()];
  const settings = (raiseAfterPartialCancel: (typeof RAISES)[number]): Settings => ({
    assumptions: { raiseAfterPartialCancel },
  });

  async function paidLater(raise: (typeof RAISES)[number]) {
    const scene = openScene(settings(raise));
    const order = await scene.sell(sale);
    expect(await order.settled()).toEqual(exactly(50));
    order.voidPayment();
    expect(await order.settled()).toEqual(exactly(0));
    order.pay();
    return order.settled();
  }

  // Whether the service counts a rise after a partial cancel is not documented: by default a person is asked.
  it('is for a person when it is paid after that was voided, unless a rise may be sent', async () => {
    expect(await paidLater('park')).toEqual({ counts: 0, asksPerson: true });
  });

  it('does so where a higher total may be sent after a partial cancel', async () => {
    expect(await paidLater('send-gross')).toEqual(exactly(50));
  });

  const life = (raise: (typeof RAISES)[number]) => ({
    ...{ sale, steps, counts: 50, settings: settings(raise) },
  });
  const noticed = ACCIDENTS.filter((accident) => NOTICED.has(accident));

  it.each(RAISES)('does so whenever the ledger is lost or restored, and recovered (%s)', (raise) =>
    expectSameAroundLoss(life(raise), noticed),
  );

  // A paid order does not say that a payment of it was voided once: without recover nobody asks the store for its book.
  it.fails.each(RAISES)('does so also if nobody runs recover (%s)', (raise) =>
    expectSameAroundLoss(life(raise), ['lost']),
  );

  // Issue 45, scenes 5 and 3: a ledger that was lost without `recover`. Counted was 50, silently.
  it('loses its points also if the ledger was lost before that', () =>
    expectSameAroundLoss({ sale, steps: steps.slice(0, 1), counts: 0 }));
});

describe('6: a currency of three decimals', () => {
  const dinar = { shop: { currency: 'KWD' } };
  const parts = (...prices: readonly number[]) => ({
    lines: prices.map((price, index) => ({ title: `Part ${index}`, price })),
  });
  const BOTH = { 'Part 0': 1, 'Part 1': 1 };

  // Issue 45, scene 6. The service refused the parts, and the order kept 7.010.
  it('takes a refund of 1.005 and 1.005', async () => {
    const scene = openScene(dinar);
    const order = await scene.sell(parts(1.005, 1.005, 5));
    expect(await order.settled()).toEqual(exactly(7.01));
    order.refund(BOTH);
    expect(await order.settled()).toEqual(exactly(5));
  });

  it.each([
    [2.01, 0.005],
    [1.001, 1.001],
    [1, 1.01],
  ])('takes a refund of %d and %d', async (one, other) => {
    const scene = openScene(dinar);
    const order = await scene.sell(parts(one, other, 5));
    order.refund(BOTH);
    expect(await order.settled()).toEqual(exactly(5));
  });
});

describe('8: what earlier notes left open', () => {
  const EURO_10 = { kind: 'fixed_amount', minor: 1_000 } as const;
  /** The sandbox's edits change lines only. */
  const addDiscount = (order: SceneOrder) => {
    order.become(({ applications, lines }) => ({
      applications: [
        ...applications,
        {
          ...{ type: 'manual', name: 'Sorry', value: EURO_10, target: 'line_item' },
          method: 'across',
        },
      ],
      lines: lines.map((line) => ({
        ...line,
        allocations: [...line.allocations, { application: applications.length, minor: 1_000 }],
      })),
    }));
    order.tag();
  };
  const removeShipping = (order: SceneOrder) => {
    order.become(() => ({ shipping: [] }));
    order.tag();
  };
  const ONE_SHIRT = { lines: [shirts(1)], shipping: 7 };

  // Issue 45, scene 8. Counted was 30: the money of the discount was taken once more, silently.
  it('an edit adds a discount of 10.00, and 10.00 go back: the shirt counts 40', () =>
    expectSameAroundLoss({
      sale: ONE_SHIRT,
      steps: [addDiscount, (order) => order.refundAmount(10)],
      counts: 40,
    }));

  // Counted was 30, silently, if the ledger was lost after that and nobody had noticed: 10 were taken twice.
  it('an edit adds a discount of 10.00, and no money goes back yet', () =>
    expectSameAroundLoss({
      sale: ONE_SHIRT,
      steps: [
        (order, scene) => {
          scene.pass(1);
          addDiscount(order);
        },
      ],
      counts: 40,
    }));

  // Counted was 20, silently, if the ledger was lost after that and nobody had noticed: 40 were taken twice.
  it('a gift card pays a part after the order was completed', () =>
    expectSameAroundLoss({
      sale: { lines: [shirts(2)], paidBy: 'nothing' },
      steps: [(order) => order.pay(40, GIFT_CARD), (order) => order.pay()],
      counts: 60,
    }));

  // Issue 45, scene 8. Counted was 43: the money of the shipping was taken from the shirt, silently.
  it('an edit removes shipping of 7.00, and 7.00 go back: the shirt counts 50', () =>
    expectSameAroundLoss({
      sale: ONE_SHIRT,
      steps: [removeShipping, (order) => order.refundAmount(7)],
      counts: 50,
    }));

  const COAT_AND_SHIRTS = { lines: [shirts(2), { title: 'Coat', price: 86 }] };
  const exchange =
    (price: number): Happens =>
    (order) =>
      order.edit({ Coat: 0 }, [{ title: 'Other coat', price }]);

  it('an exchange in one edit counts what is kept then', async () => {
    for (const [price, counts] of [
      [92, 192],
      [80, 180],
    ] as const) {
      const scene = openScene();
      const order = await scene.sell(COAT_AND_SHIRTS);
      exchange(price)(order, scene);
      expect(await order.settled()).toEqual(exactly(counts));
    }
  });

  // Issue 45, scene 8. Counted was 186, silently, if the ledger was lost without `recover`.
  it.each<readonly [string, readonly Happens[], number]>([
    ['a dearer', [exchange(92)], 192],
    ['a cheaper', [exchange(80), (order) => order.refundAmount(6)], 180],
    [
      'after a refund, a cheaper',
      [(order) => order.refund({ Shirt: 1 }), exchange(80), (order) => order.refundAmount(6)],
      130,
    ],
  ])('an exchange in one edit survives a loss: %s coat', (_, steps, counts) =>
    expectSameAroundLoss({ sale: COAT_AND_SHIRTS, steps, counts }),
  );

  it('two refunds in one second are taken once each, whenever the ledger is lost', () =>
    expectSameAroundLoss({
      sale: COAT_AND_SHIRTS,
      steps: [
        (order, scene) => {
          order.refund({ Shirt: 1 });
          scene.pass(-1 / 60);
        },
        (order) => order.refundAmount(5),
        (order) => order.refundAmount(6),
      ],
      counts: 125,
    }));

  it('a deposit whose refund equals what is outstanding is taken once, whenever the ledger is lost', () =>
    expectSameAroundLoss({
      sale: { lines: [shirts(1, 60)], paidBy: { [BANK_CARD]: 40 } },
      steps: [(order) => order.refundAmount(20), (order) => order.pay()],
      counts: 40,
    }));

  it('an order that arrives after its customer was merged earns for the one who is kept, or a person is asked', async () => {
    const scene = openScene();
    const kept = scene.shop.do('createCustomer', { firstName: 'Sam', email: 'sam@example.com' }).id;
    await scene.sell({ lines: [shirts(1)] });
    const late = scene.place({ lines: [shirts(2)] });
    late.ship();
    await scene.merge(kept, scene.customerId);
    const settled = await late.settled();
    expect(settled).toEqual(sameOrPerson(settled, 100));
    const { rows: service } = scene.shop.connector.loyalty;
    if (!settled.asksPerson) expect(service.orders.get(late.id)?.customerId).toBe(kept);
  });
});
