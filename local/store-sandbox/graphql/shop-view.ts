import { gid } from '../model/ids.ts';
import type { LocationRow, StaffRow } from '../model/rows.ts';
import type { GraphContext, View } from './graph-context.ts';
import { metafieldFields } from './metafield-view.ts';

export function locationView(context: GraphContext, row: LocationRow): View {
  return {
    __typename: 'Location',
    id: gid('Location', row.id),
    legacyResourceId: row.id,
    name: row.name,
    isActive: true,
    fulfillsOnlineOrders: true,
    shipsInventory: true,
    address: { city: row.city, countryCode: row.countryCode, formatted: [row.city] },
    ...metafieldFields(context, gid('Location', row.id)),
  };
}

export function staffView(row: StaffRow): View {
  return {
    __typename: 'StaffMember',
    id: gid('StaffMember', row.id),
    firstName: row.firstName,
    lastName: row.lastName,
    name: `${row.firstName} ${row.lastName}`,
    email: row.email,
    active: true,
    exists: true,
    isShopOwner: false,
    locale: 'en',
    phone: null,
  };
}

export function shopView(context: GraphContext): View {
  const { shop } = context.world;
  return {
    __typename: 'Shop',
    id: gid('Shop', shop.id),
    name: shop.name,
    myshopifyDomain: shop.domain,
    primaryDomain: { host: shop.domain, url: `https://${shop.domain}`, sslEnabled: true },
    url: `https://${shop.domain}`,
    email: 'owner@example.com',
    contactEmail: 'care@example.com',
    currencyCode: shop.currency,
    enabledPresentmentCurrencies: [shop.currency],
    taxesIncluded: shop.taxesIncluded,
    taxShipping: true,
    ianaTimezone: 'Europe/Berlin',
    timezoneOffset: shop.utcOffset.replace(':', ''),
    weightUnit: 'KILOGRAMS',
    setupRequired: false,
    plan: {
      displayName: 'Basic',
      publicDisplayName: 'Basic',
      partnerDevelopment: true,
      shopifyPlus: false,
    },
    ...metafieldFields(context, gid('Shop', shop.id)),
  };
}

const app: View = {
  __typename: 'App',
  id: gid('App', '580111'),
  title: 'Sandbox app',
  handle: 'sandbox-app',
  apiKey: 'sandbox-client',
};

export function appInstallationView(context: GraphContext): View {
  const id = gid('AppInstallation', '661200001');
  return {
    __typename: 'AppInstallation',
    id,
    app,
    accessScopes: [...context.scopes].sort().map((handle) => ({
      handle,
      description: handle.replaceAll('_', ' '),
    })),
    ...metafieldFields(context, id),
  };
}
