/**
 * What the merchant would set up in the admin panel of the service: rewards, tiers and quizzes. The
 * API only reads them, so the sandbox gets them as data, and a test can bring its own.
 */
export interface Catalog {
  readonly rewards: readonly CatalogReward[];
  /** In ascending order; the first is the base tier and has no goals. At least one. */
  readonly tiers: readonly [CatalogTier, ...CatalogTier[]];
  readonly quizzes: readonly CatalogQuiz[];
}

export interface CatalogReward {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly kind: 'percent' | 'fixed-value' | 'cashback' | 'custom' | 'product';
  /** Amount or percentage; 0 for the other kinds. */
  readonly value: number;
  /** For `product`, and only there. */
  readonly product?: CatalogRewardProduct;
  /** May be used together with other discounts. */
  readonly cumulative?: boolean;
  readonly points: number;
  readonly isActive: boolean;
  /** Date-times. Absent: valid at any time. */
  readonly valid?: { readonly from: string; readonly until: string };
  readonly usesPerCustomer?: number;
  readonly usesInAll?: number;
  /** Smallest purchase that the coupon may be used on. */
  readonly minimalValue?: number;
  /** Absent: customers of any tier. */
  readonly tierIds?: readonly number[];
  readonly codePrefix: string;
  readonly couponValidDays: number;
}

interface CatalogRewardProduct {
  /** In the store. */
  readonly id: string;
  readonly name: string;
  readonly mode: 'percent' | 'final-price' | 'free-gift' | 'amount-off';
  readonly value: number;
  readonly mostUnits: number;
  readonly available: number;
}

export interface CatalogTier {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly caption: string;
  readonly benefits: readonly string[];
  /** All of them must be reached. */
  readonly goals: readonly {
    readonly measure: 'points-earned' | 'completed-orders';
    readonly value: number;
  }[];
}

export interface CatalogQuiz {
  readonly id: number;
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly points: number;
  readonly questions: readonly CatalogQuestion[];
}

export type CatalogQuestion =
  | { readonly id: number; readonly kind: 'open'; readonly text: string }
  | {
      readonly id: number;
      readonly kind: 'choice';
      readonly text: string;
      readonly options: readonly { readonly id: number; readonly text: string }[];
      readonly atMost: number;
    };

/** Active, and good for 30 days, where it says nothing else. */
type Offer = Omit<CatalogReward, 'isActive' | 'couponValidDays'> &
  Partial<Pick<CatalogReward, 'isActive' | 'couponValidDays'>>;

/** One of each type, and one for every reason to be refused. */
const offers: readonly Offer[] = [
  {
    id: 1,
    title: '5 off',
    description: 'Taken off your next larger purchase.',
    kind: 'fixed-value',
    value: 5,
    points: 100,
    minimalValue: 20,
    codePrefix: 'FIVE',
  },
  {
    id: 2,
    title: '10 percent off',
    description: 'A tenth off your next purchase.',
    kind: 'percent',
    value: 10,
    points: 200,
    codePrefix: 'TEN',
    couponValidDays: 60,
  },
  {
    id: 3,
    title: '3 off',
    description: 'A small thank-you, taken off your next purchase.',
    kind: 'fixed-value',
    value: 3,
    points: 50,
    codePrefix: 'THREE',
  },
  {
    id: 4,
    title: 'Welcome gift',
    description: 'One for each customer, a hundred in all.',
    kind: 'fixed-value',
    value: 2,
    points: 10,
    usesPerCustomer: 1,
    usesInAll: 100,
    codePrefix: 'HELLO',
    couponValidDays: 14,
  },
  {
    id: 5,
    title: '25 off for Gold',
    description: 'Only for customers of the highest tier.',
    kind: 'fixed-value',
    value: 25,
    points: 400,
    tierIds: [3],
    codePrefix: 'GOLD',
    couponValidDays: 90,
  },
  {
    id: 6,
    title: 'Spring 2021 special',
    description: 'Its season is over.',
    kind: 'percent',
    value: 15,
    points: 100,
    valid: { from: '2021-03-01T00:00:00Z', until: '2021-05-31T23:59:59Z' },
    codePrefix: 'SPRING',
  },
  {
    id: 7,
    title: '50 off',
    description: 'Switched off for now.',
    kind: 'fixed-value',
    value: 50,
    points: 900,
    isActive: false,
    codePrefix: 'FIFTY',
  },
  {
    id: 8,
    title: 'Cashback',
    description: 'Pay with what you have collected.',
    kind: 'cashback',
    value: 0,
    points: 0,
    cumulative: true,
    codePrefix: 'CASH',
  },
  {
    id: 9,
    title: 'Enamel mug at half price',
    description: 'Half off one mug.',
    kind: 'product',
    value: 0,
    points: 80,
    product: {
      // Of the store sandbox's sample store.
      id: '8012300098313',
      name: 'Enamel Mug',
      mode: 'percent',
      value: 50,
      mostUnits: 1,
      available: 10,
    },
    codePrefix: 'MUG',
  },
  {
    id: 10,
    title: 'A visit to the workshop',
    description: 'An afternoon with our makers. Ask for it in the shop.',
    kind: 'custom',
    value: 0,
    points: 50,
    codePrefix: 'VISIT',
  },
];

const rewards = offers.map((offer) => ({ isActive: true, couponValidDays: 30, ...offer }));

const tiers: Catalog['tiers'] = [
  {
    id: 1,
    name: 'Bronze',
    color: '#a9714b',
    caption: 'Where everyone starts',
    benefits: ['Points for every order'],
    goals: [],
  },
  {
    id: 2,
    name: 'Silver',
    color: '#9aa3ab',
    caption: 'For regular customers',
    benefits: ['Points for every order', 'A gift on your birthday'],
    goals: [
      { measure: 'points-earned', value: 500 },
      { measure: 'completed-orders', value: 3 },
    ],
  },
  {
    id: 3,
    name: 'Gold',
    color: '#d4a017',
    caption: 'For our best customers',
    benefits: ['Points for every order', 'A gift on your birthday', 'The Gold rewards'],
    goals: [
      { measure: 'points-earned', value: 2000 },
      { measure: 'completed-orders', value: 10 },
    ],
  },
];

/** One that is open, and one that has ended. */
const quizzes: readonly CatalogQuiz[] = [
  {
    id: 1,
    name: 'What do you wear at home?',
    start: '2020-01-01T00:00:00Z',
    end: '2099-12-31T23:59:59Z',
    points: 25,
    questions: [
      {
        id: 11,
        kind: 'choice',
        text: 'Which fabrics do you like?',
        options: [
          { id: 101, text: 'Linen' },
          { id: 102, text: 'Cotton' },
          { id: 103, text: 'Wool' },
        ],
        atMost: 2,
      },
      { id: 12, kind: 'open', text: 'Which colour is missing from our shop?' },
    ],
  },
  {
    id: 2,
    name: 'Winter 2021',
    start: '2021-01-01T00:00:00Z',
    end: '2021-02-28T23:59:59Z',
    points: 40,
    questions: [
      {
        id: 21,
        kind: 'choice',
        text: 'Was it cold?',
        options: [
          { id: 201, text: 'Yes' },
          { id: 202, text: 'No' },
        ],
        atMost: 1,
      },
    ],
  },
];

export const defaultCatalog: Catalog = { rewards, tiers, quizzes };
