import { numberText } from '../../words.ts';
import type { Group, ListedLetter } from './documents.ts';

const counted = (many: number, one: string, several: string) =>
  `${numberText(many)} ${many === 1 ? one : several}`;

export const strings = {
  count: (matching: number) =>
    matching === 0 ? 'No dead letters' : `${counted(matching, 'dead letter', 'dead letters')}:`,
  attempts: (attempts: number) => counted(attempts, 'attempt', 'attempts'),
  replays: (replays: number) => `sent again ${counted(replays, 'time', 'times')}`,
  replayTitle: (many: number) => `Send ${counted(many, 'dead letter', 'dead letters')} again`,
  dropTitle: (many: number) => `Drop ${counted(many, 'dead letter', 'dead letters')}`,
  ofThem: (matching: number) =>
    `${counted(matching, 'letter is', 'letters are')} about this in all.`,
  reasons: {
    unreadable: 'Cannot be read',
    unmappable: 'Cannot be mapped',
    rejected: 'Refused by the loyalty service',
    'retry-window-over': 'Tried for too long',
    'newer-release': 'Of a newer release',
    'made-room': 'Made room for other shops',
    crashed: 'A worker died on it',
    unknown: 'Of an unknown reason',
  } satisfies Readonly<Record<Group['reason'], string>>,
  queues: {
    orders: 'Orders',
    products: 'Products',
    coupons: 'Coupons and customers',
    balances: 'Balances and redemptions',
  } satisfies Readonly<Record<ListedLetter['family'], string>>,
};
