import type { EntityKind } from '../../shared/core/events/event.ts';
import type {
  DiscountPage,
  ScanAnswer,
  ScanPage,
  Span,
  Store,
  StoreAnswer,
  StoreScan,
} from '../../shared/core/store/store.ts';
import type {
  BookedFigures,
  StoreCoupon,
  StoreMember,
  StoreOrder,
  StoreProduct,
} from '../../shared/store/store-entities.ts';

/** A store in memory. It passes the same contract suite as the Admin API. */
export interface MemoryStore extends Store, StoreScan {
  putOrder(shop: string, order: StoreOrder): void;
  putProduct(shop: string, product: StoreProduct): void;
  putCoupon(shop: string, coupon: StoreCoupon): void;
  putMember(shop: string, member: StoreMember): void;
  putAutomaticDiscount(shop: string, id: string): void;
  remove(shop: string, kind: EntityKind | 'discount', id: string): void;
  /** Every question gets this answer, until it is undefined. */
  outage: Extract<StoreAnswer<never>, { kind: 'unavailable' }> | undefined;
  readonly reads: number;
  /** False: orders older than sixty days are not visible. */
  allOrders: boolean;
  /** Epoch milliseconds. */
  now: () => number;
}

const CODES_PER_PAGE = 50;
const CHANGED_PER_PAGE = 7;
const SIXTY_DAYS_MS = 60 * 86_400_000;

export function createMemoryStore(): MemoryStore {
  const things = new Map<string, unknown>();
  /** Of each order, its figures after each change. */
  const books = new Map<string, BookedFigures[]>();
  /** The first `updatedAt` of each. */
  const createdAt = new Map<string, string>();
  const at = (shop: string, kind: string, id: string) => `${shop}|${kind}|${id}`;
  let reads = 0;
  let outage: MemoryStore['outage'];

  const isHidden = ({ placedAt }: StoreOrder) =>
    !store.allOrders && store.now() - Date.parse(placedAt) > SIXTY_DAYS_MS;

  function put<Value extends { readonly updatedAt: string }>(key: string, value: Value): void {
    if (!things.has(key)) createdAt.set(key, value.updatedAt);
    things.set(key, value);
  }

  /** A cursor names a position, as in the real store: deletions do not shift the page. */
  function pageOf<Value extends { readonly updatedAt: string }, Shown>(
    [shop, kind, { from = 0, until, by }, after = '']: [string, string, Span, string | undefined],
    show: (id: string, value: Value) => Shown | undefined,
  ): ScanAnswer<ScanPage<Shown>> {
    reads += 1;
    if (outage) return outage;
    const all = [...things]
      .filter(([key]) => key.startsWith(at(shop, kind, '')))
      .flatMap(([key, thing]) => {
        const id = key.slice(at(shop, kind, '').length);
        const value = thing as Value;
        const { updatedAt } = value;
        const date = Date.parse(by === 'creation' ? (createdAt.get(key) ?? '') : updatedAt);
        const shown = from <= date && date <= until ? show(id, value) : undefined;
        const place = `${String(date).padStart(15, '0')}|${id}`;
        return shown ? [{ id, updatedAt, value: shown, place }] : [];
      })
      .filter((one) => one.place > after)
      .sort((one, other) => (one.place < other.place ? -1 : 1));
    const page = all.slice(0, CHANGED_PER_PAGE);
    const next = all.length > page.length ? page.at(-1)?.place : undefined;
    const changed = page.map(({ place: _, ...one }) => one);
    return { kind: 'found', value: { changed, ...(next !== undefined && { next }) } };
  }

  function codesFrom(shop: string, discountId: string, start: number): DiscountPage {
    const end = start + CODES_PER_PAGE;
    const codes = couponsOf(shop, discountId);
    const next = end < codes.length ? { next: String(end) } : {};
    return { automatic: false, coupons: codes.slice(start, end), ...next };
  }

  function read<Value>(shop: string, kind: string, id: string): StoreAnswer<Value> {
    reads += 1;
    if (outage) return outage;
    const value = things.get(at(shop, kind, id)) as Value | undefined;
    return value === undefined ? { kind: 'gone' } : { kind: 'found', value };
  }

  /** The store does not distinguish upper and lower case in codes. The exact spelling first. */
  function spellingOf(shop: string, code: string): string {
    if (things.has(at(shop, 'coupon', code))) return code;
    const small = at(shop, 'coupon', code).toLowerCase();
    const found = [...things.keys()].find((key) => key.toLowerCase() === small);
    return found === undefined ? code : (things.get(found) as StoreCoupon).code;
  }

  function couponsOf(shop: string, discountId: string): StoreCoupon[] {
    return [...things]
      .filter(([key]) => key.startsWith(at(shop, 'coupon', '')))
      .map(([, coupon]) => coupon as StoreCoupon)
      .filter((coupon) => coupon.discountId === discountId);
  }

  const store: MemoryStore = {
    get reads() {
      return reads;
    },
    get outage() {
      return outage;
    },
    set outage(answer) {
      outage = answer;
    },
    putOrder(shop, order) {
      const key = at(shop, 'order', order.id);
      put(key, order);
      books.set(key, [...(books.get(key) ?? []), { ...order, at: order.updatedAt }]);
    },
    putProduct: (shop, product) => put(at(shop, 'product', product.id), product),
    putMember: (shop, member) => put(at(shop, 'member', member.id), member),
    putCoupon(shop, coupon) {
      things.set(at(shop, 'coupon', coupon.code), coupon);
      const { discountId, updatedAt } = coupon;
      put(at(shop, 'discount', discountId), { automatic: false, updatedAt });
    },
    putAutomaticDiscount: (shop, id) =>
      put(at(shop, 'discount', id), { automatic: true, updatedAt: '' }),
    remove(shop, kind, id) {
      things.delete(at(shop, kind, id));
      if (kind !== 'discount') return;
      for (const { code } of couponsOf(shop, id)) things.delete(at(shop, 'coupon', code));
    },
    allOrders: true,
    now: Date.now,
    until: () => store,
    async readOrder(shop, id, { deletionAnnounced, book } = {}) {
      const answer = read<StoreOrder>(shop, 'order', id);
      if (answer.kind === 'unavailable') return answer;
      if (answer.kind === 'found' && !isHidden(answer.value)) {
        const { book: own, ...order } = answer.value;
        const states = book && (own ?? books.get(at(shop, 'order', id)));
        return { kind: 'found', value: { ...order, ...(states && { book: states }) } };
      }
      if (store.allOrders || deletionAnnounced) return { kind: 'gone' };
      return { kind: 'unavailable', why: 'order-not-visible', misconfigured: true, hidden: true };
    },
    readProduct: async (shop, id) => read(shop, 'product', id),
    readCoupon: async (shop, code) => read(shop, 'coupon', spellingOf(shop, code)),
    readMember: async (shop, id) => read(shop, 'member', id),
    async readDiscount(shop, id, from = '0') {
      const answer = read<{ readonly automatic: boolean }>(shop, 'discount', id);
      if (answer.kind !== 'found') return answer;
      if (answer.value.automatic) return { kind: 'found', value: { automatic: true, coupons: [] } };
      return { kind: 'found', value: codesFrom(shop, id, Number(from)) };
    },
    changedOrders: async (shop, span, after) =>
      pageOf<StoreOrder, StoreOrder>([shop, 'order', span, after], (_, order) =>
        isHidden(order) ? undefined : order,
      ),
    changedProducts: async (shop, span, after) =>
      pageOf<StoreProduct, StoreProduct>([shop, 'product', span, after], (_, product) => product),
    changedDiscounts: async (shop, span, after) =>
      pageOf<{ automatic: boolean; updatedAt: string }, DiscountPage>(
        [shop, 'discount', span, after],
        (id, { automatic }) => (automatic ? undefined : codesFrom(shop, id, 0)),
      ),
    changedMembers: async (shop, span, after) =>
      pageOf<StoreMember, StoreMember>([shop, 'member', span, after], (_, member) => member),
    overriddenDiscounts: async () => outage ?? { kind: 'found', value: new Map() },
    async findAbsent(shop, kind, ids) {
      if (outage) return outage;
      const isShown = (id: string) => {
        const value = things.get(at(shop, kind, id));
        return value !== undefined && !(kind === 'order' && isHidden(value as StoreOrder));
      };
      return { kind: 'found', value: new Set(ids.filter((id) => !isShown(id))) };
    },
    async seesAllOrders() {
      return outage ?? { kind: 'found', value: store.allOrders };
    },
  };
  return store;
}
