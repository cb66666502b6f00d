import { createHash } from 'node:crypto';
import type { StoreMember } from '../../store/store-entities.ts';
import { findMemberDetail } from './customer-detail.ts';
import { birthdayDate, isIdentified, plainCustomerForm } from './customer-form.ts';
import { knownFields } from './known-fields.ts';
import type { MemberRules } from './mapping-rules.ts';
import { type KnownBefore, rememberMember } from './remembered.ts';
import type { CustomerForm, Mapped } from './wanted-state.ts';

/**
 * What the loyalty service should hold of a customer, from their sign-up on. What is left out stays there
 * as an order said it: the details that only orders carry, and an enrolment that a rule finds in orders.
 */
export function mapMember(member: StoreMember, rules: MemberRules, before: KnownBefore): Mapped {
  if (rules.customers === 'with-orders') return { kind: 'skip', why: 'customers-with-orders' };
  const form = knownFields({
    ...plainCustomerForm(member),

    BirthdayDate: birthdayDate(findMemberDetail(rules.birthday, member)),
    Document: findMemberDetail(rules.document, member),
    IsEnrolled: rules.enrolment === 'everyone' ? true : undefined,
  });
  if (!before.known && !isIdentified(form, rules)) {
    return { kind: 'skip', why: 'customer-without-email' };
  }
  return {
    kind: 'wanted',
    wanted: { kind: 'member', id: member.id, member: { ...form, OriginalId: member.id } },
    remember: rememberMember({ contact: contactHash(form) }),
  };
}

/** Nothing is remembered of a deleted customer. */
export function mapDeletedMember(id: string, { known }: KnownBefore): Mapped {
  if (!known) return { kind: 'skip', why: 'never-sent' };
  return { kind: 'wanted', wanted: { kind: 'deleted-member', id }, remember: undefined };
}

/** Compares how a person can be reached, without keeping it. */
export function contactHash({ Email, Phone }: CustomerForm): string {
  const contact = JSON.stringify([Email?.toLowerCase(), Phone]);
  return createHash('sha256').update(contact).digest('base64url');
}
