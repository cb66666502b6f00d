import * as v from 'valibot';
import { createCustomer } from './customers.ts';
import { createDiscount } from './discounts.ts';
import { customerDraft, discountDraft, productDraft } from './inputs.ts';
import { createProduct } from './products.ts';
import type { World } from './world.ts';

/** The initial content of the store. All people in it are invented. */
export function fillSampleStore(world: World): void {
  for (const location of locations) world.rows.locations.put(location.id, location);
  for (const member of staff) world.rows.staff.put(member.id, member);
  for (const draft of products) createProduct(world, v.parse(productDraft, draft));
  for (const draft of customers) createCustomer(world, v.parse(customerDraft, draft));
  for (const draft of discounts) createDiscount(world, v.parse(discountDraft, draft));
}

const locations = [
  { id: '71345012801', name: 'Harbour Street' },
  { id: '71345045569', name: 'Old Market' },
];

const staff = [
  { id: '90112340001', firstName: 'Kim', lastName: 'Counter' },
  { id: '90112340002', firstName: 'Noa', lastName: 'Till' },
];

const shirts = {
  id: 'aa-1-13-8',
  fullName: 'Apparel & Accessories > Clothing > Clothing Tops > T-Shirts',
};

const products = [
  {
    title: 'Linen Shirt',
    vendor: 'North Loom',
    productType: 'Shirt',
    category: shirts,
    imageUrl: 'https://cdn.example.com/linen-shirt.jpg',
    variants: [
      { title: 'S', price: 49 },
      { title: 'M', price: 49 },
      { title: 'L', price: 52 },
    ],
  },
  { title: 'Wool Socks', vendor: 'North Loom', productType: 'Socks', price: 13 },
  {
    title: 'Enamel Mug',
    vendor: 'Tin & Clay',
    category: {
      id: 'hg-11-10-6-5',
      fullName: 'Home & Garden > Kitchen & Dining > Tableware > Drinkware > Mugs',
    },
    price: 17,
  },
  { title: 'Notebook', vendor: 'Paper Trail', productType: 'Stationery', price: 8 },
  { title: 'Winter Coat', vendor: 'North Loom', productType: 'Coat', status: 'draft', price: 189 },
];

const customers = [
  {
    firstName: 'Robin',
    lastName: 'Sample',
    email: 'robin.sample@example.com',
    phone: '+15555550101',
    address: { firstName: 'Robin', lastName: 'Sample', phone: '+15555550101' },
  },
  {
    firstName: 'Sasha',
    lastName: 'Specimen',
    email: 'sasha.specimen@example.com',
    phone: '+15555550102',
    address: { firstName: 'Sasha', lastName: 'Specimen', phone: '+15555550102' },
  },
  { firstName: 'Toni', lastName: 'Template', email: 'toni.template@example.com' },
];

const discounts = [
  { codes: ['WELCOME10'], title: 'Welcome', percentage: 10 },
  { codes: ['FIVEOFF'], title: 'Five off', amount: 5, minimumSubtotal: 20 },
  { codes: ['SHIPFREE'], title: 'Free shipping', kind: 'free-shipping' },
  { codes: ['BUY2GET1'], title: 'Buy two, get one', kind: 'bxgy', percentage: 100 },
  { title: 'Members of the club', automatic: true, percentage: 5 },
];
