import type { Document } from '../../../scripts/connector/ground/terminal/document.ts';
import { line } from '../../../scripts/connector/ground/terminal/line.ts';

const FROM = Date.parse('2026-11-12T10:00:00Z');
const at = (minutes: number) => new Date(FROM + minutes * 60_000).toISOString();
const values = (most: number) =>
  Array.from({ length: 60 }, (_, index) =>
    index % 11 === 10 ? null : Math.round(most * (1 + Math.sin(index / 7)) * 0.5),
  );
const SEND = line('dead-letters replay', [], { reason: 'rejected', yes: true });

/** Every kind of block, and everything that a block can have. */
export const SAMPLE: Document = {
  title: 'Order #1007 of example-store.myshopify.com',
  verdict: {
    kind: 'action required',
    what: 'The loyalty service refused it: the shopper is unknown.',
  },
  next: [
    { label: 'Send 5', line: SEND, say: 'When the cause is repaired:' },
    { label: 'See 5 rejected orders', line: line('dead-letters list', [], { reason: 'rejected' }) },
    {
      label: 'Pause',
      line: line('pause'),
      asks: [
        { name: 'because', label: 'Why' },
        { name: 'queue', label: 'Queue', of: { orders: 'Orders', coupons: 'Coupons' }, value: '' },
      ],
    },
    { label: 'Show personal data', line: line('trace', ['order', '7'], { reveal: true }) },
    { label: 'Set the secret', line: line('secrets set', ['loyalty']) },
  ],
  blocks: [
    { kind: 'text', text: 'A paragraph.\nAnother one.' },
    { kind: 'text', text: 'A paragraph of less weight.', tone: 'soft' },
    {
      ...{ kind: 'findings', title: 'Found' },
      findings: [
        {
          ...{ tone: 'bad', name: 'secrets', what: 'The secret of the webhooks is missing.' },
          fix: 'Copy it from the admin: Settings, Notifications.',
          next: [{ label: 'Compare now', line: line('reconcile') }],
          follows: [
            { tone: 'bad', name: 'webhooks', what: 'Every webhook is refused.' },
            { tone: 'pending', name: 'orders', what: '5 orders wait.' },
          ],
        },
        { tone: 'pending', name: 'loyalty', what: 'It answers slowly.' },
        { tone: 'info', name: 'version', what: 'A newer one is there.' },
        ...['app', 'outputs', 'queues', 'ledger', 'alarms', 'rewards', 'shops'].map((name) => ({
          ...{ tone: 'ok' as const, name, what: 'as it should be' },
        })),
      ],
    },
    {
      ...{ kind: 'facts', title: 'The order' },
      facts: [
        ['State', { text: 'rejected', tone: 'bad' }],
        ['Created', { at: at(0) }],
        ['Customer', { text: '#55', opens: line('redemptions show', ['55']) }],
        ['Lines', 3],
        ['Note', 'Leave it at the door'],
      ],
    },
    {
      ...{ kind: 'table', title: 'Both sides now' },
      columns: [
        { title: '' },
        { title: 'Store', align: 'right' },
        { title: 'Ledger', align: 'right' },
        { title: 'Loyalty service', align: 'right' },
      ],
      rows: [
        { cells: ['Amount that counts for points', '163.33', '163.33', '163.33'] },
        { cells: ['Points', '245.00', '245.00', { text: '–', tone: 'bad' }], tone: 'bad' },
      ],
    },
    {
      ...{ kind: 'table', title: 'Dead letters' },
      columns: [
        { title: 'About' },
        { title: 'Reason' },
        { title: 'Attempts', align: 'right' },
        { title: 'Given up' },
        { title: 'In words', shrinks: true },
      ],
      rows: ['1012', '1013', '1014'].map((name, index) => ({
        cells: [
          { text: `#${name}`, opens: line('dead-letters show', [`letter-${name}`]) },
          { text: 'rejected', tone: 'bad' },
          index + 1,
          { at: at(index) },
          'The loyalty service refused sendOrder: 34, the shopper is unknown',
        ],
        ...(index === 1 && { detail: 'replayed once before, by anna', tone: 'pending' as const }),
      })),
    },
    { ...{ kind: 'table', columns: [{ title: 'About' }], rows: [] }, empty: 'No coupon waits.' },
    {
      ...{ kind: 'timeline', title: 'What happened' },
      lines: [
        { at: at(0), who: 'Store', what: 'created' },
        { at: at(0.1), who: 'Connector', what: 'received', detail: 'orders/create' },
        { at: at(1), who: 'Loyalty service', what: 'refused sendOrder', tone: 'bad' },
        {
          ...{ at: at(1_500), who: 'Connector', what: 'gave points', detail: '245.00', tone: 'ok' },
          facts: [
            ['Event', 'orders/updated'],
            ['Data as of', { at: at(1) }],
          ],
        },
      ],
    },
    {
      ...{ kind: 'table', title: 'How the points came about' },
      columns: [{ title: 'Amount', align: 'right' }, { title: 'For' }],
      rows: [
        { cells: ['196.00', 'paid'] },
        { cells: ['−32.67', 'tax'] },
        { cells: ['163.33', 'counted'], isSum: true },
      ],
    },
    {
      ...{ kind: 'table', title: 'Queues' },
      columns: [
        { title: 'Queue' },
        { title: 'Waiting', align: 'right' },
        { title: 'In flight', align: 'right' },
        { title: 'Dead', align: 'right' },
      ],
      rows: [
        {
          cells: [
            ...['Orders', 12, 3],
            { text: '5', tone: 'bad', opens: line('dead-letters list', [], { queue: 'orders' }) },
          ],
        },
        { cells: ['Products', 0, 0, 0] },
      ],
    },
    {
      ...{ kind: 'chart', title: 'Messages per minute', from: at(0), everySeconds: 60 },
      unit: 'count',
      series: [
        { name: 'received', values: values(40) },
        { name: 'applied', values: values(36), tone: 'ok' },
        { name: 'rejected', values: values(4), tone: 'bad' },
      ],
    },
    {
      ...{ kind: 'chart', title: 'From store to service', from: at(0), everySeconds: 60 },
      unit: 'milliseconds',
      series: [
        { name: 'p50', values: values(400) },
        { name: 'p99', values: values(2_600) },
      ],
    },
    { kind: 'code', title: 'sendOrder', text: '{\n  "OrderTotal": 163.33\n}', folded: true },
    {
      ...{ kind: 'section', title: 'Subscriptions' },
      blocks: [
        { kind: 'facts', title: 'Of the app', facts: [['Topics', 14]] },
        { kind: 'code', title: 'As it is', text: 'orders/create' },
      ],
    },
    {
      ...{ kind: 'section', title: 'Rewards', folded: true },
      blocks: [{ kind: 'text', text: '5 off, from 20, for 100 points' }],
    },
  ],
};
