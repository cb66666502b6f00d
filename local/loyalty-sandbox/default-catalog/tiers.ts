import type { Catalog } from '../catalog.ts';

export const tiers: Catalog['tiers'] = [
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
