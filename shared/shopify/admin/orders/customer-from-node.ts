import * as v from 'valibot';
import type { StoreCustomer } from '../../../store/order.ts';
import { idFromGid } from '../../entity-id.ts';
import { id, moment, readPayload } from '../../webhooks/payload-fields.ts';
import type { CustomerNode } from './order-node.ts';

const customerFields = v.object({ id, createdAt: moment });

/** A customer without an order to fill gaps from; undefined when it lacks what every customer has. */
export function readCustomer(
  customer: Omit<CustomerNode, 'metafields'>,
): StoreCustomer | undefined {
  const read = readPayload(customerFields, {
    id: idFromGid(customer.id, 'Customer'),
    createdAt: customer.createdAt,
  });
  if (read.kind !== 'read') return undefined;
  const { firstName, lastName, defaultEmailAddress, defaultPhoneNumber, defaultAddress } = customer;
  const name = [firstName, lastName]
    .map(filled)
    .filter((part) => part !== undefined)
    .join(' ');
  return {
    id: read.value.id,
    name: filled(name) ?? filled(defaultAddress?.name),
    email: filled(defaultEmailAddress?.emailAddress),
    phone: filled(defaultPhoneNumber?.phoneNumber) ?? filled(defaultAddress?.phone),
    createdAt: read.value.createdAt,
  };
}

function filled(text: string | null | undefined): string | undefined {
  return text?.trim() || undefined;
}
