import type { Catalog, CatalogQuiz, CatalogReward } from './catalog.ts';

/** One for every reason to be refused. */
const rewards: readonly CatalogReward[] = [
  {
    id: 1,
    title: '5 off',
    description: 'Five off your next purchase.',
    kind: 'fixed-value',
    value: 5,
    points: 100,
    isActive: true,
    minimalValue: 20,
    codePrefix: 'FIVE',
    couponValidDays: 30,
  },
  {
    id: 2,
    title: '10 percent off',
    description: 'A tenth off your next purchase.',
    kind: 'percent',
    value: 10,
    points: 200,
    isActive: true,
    codePrefix: 'TEN',
    couponValidDays: 60,
  },
  {
    id: 3,
    title: 'Free shipping',
    description: 'We carry the next parcel.',
    kind: 'free-shipping',
    value: 0,
    points: 50,
    isActive: true,
    codePrefix: 'SHIP',
    couponValidDays: 30,
  },
  {
    id: 4,
    title: 'Welcome gift',
    description: 'Once for each customer, while the hundred last.',
    kind: 'fixed-value',
    value: 2,
    points: 10,
    isActive: true,
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
    isActive: true,
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
    isActive: true,
    valid: { from: '2021-03-01T00:00:00Z', until: '2021-05-31T23:59:59Z' },
    codePrefix: 'SPRING',
    couponValidDays: 30,
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
    couponValidDays: 30,
  },
];

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
