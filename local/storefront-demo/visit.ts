import * as v from 'valibot';
import { readJsonObject } from '../sandbox-kit/http/requests.ts';

const visit = v.object({
  /** The customer that is logged in. */
  customerId: v.optional(v.string()),
  locale: v.optional(v.picklist(['en', 'pt-BR', 'es']), 'en'),
  cart: v.optional(
    v.array(v.object({ variantId: v.string(), quantity: v.pipe(v.number(), v.integer()) })),
    [],
  ),
  /** Discount codes, as typed: the cart says whether the store accepts them. */
  codes: v.optional(v.array(v.string()), []),
  /** Whether the pages have `Shopify.actions`, as every Liquid storefront does. Tests also look at pages without. */
  hasActions: v.optional(v.boolean(), true),
  /** Shown once, on the next page. */
  message: v.optional(v.string()),
});

/** Everything that the shop knows about a visitor, stored in a cookie. */
export type Visit = v.InferOutput<typeof visit>;

const NAME = 'visit';

export function readVisit(cookies: string | undefined): Visit {
  const [, text = ''] = new RegExp(`(?:^|;\\s*)${NAME}=([\\w-]+)`).exec(cookies ?? '') ?? [];
  const stored = readJsonObject(Buffer.from(text, 'base64url').toString());
  const parsed = v.safeParse(visit, stored ?? {});
  return parsed.success ? parsed.output : v.parse(visit, {});
}

export function visitCookie(value: Visit): string {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${NAME}=${text}; Path=/; HttpOnly; SameSite=Strict`;
}
