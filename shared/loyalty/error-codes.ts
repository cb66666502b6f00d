import type { components } from './contract.gen.ts';
import type { OperationId } from './operations.ts';

/** What the connector does about a failed call. */
export type ErrorClass = 'done' | 'retry' | 'throttled' | 'rejected' | 'misconfigured';

export interface ErrorCode {
  /** In the service's own spelling, mistakes included. */
  readonly name: string;
  /** `done` is never a code's own class: it depends on the operation. */
  readonly class: Exclude<ErrorClass, 'done'>;
  /** Why this class, and what to look at: read by the person on call. */
  readonly because: string;
  /** Operations for which this answer means that the wanted state is already there. */
  readonly doneIn: readonly OperationId[];
}

export type ErrorNumber = components['schemas']['ErrorCode'];

const ofClass =
  <C extends ErrorCode['class']>(errorClass: C) =>
  <N extends string>(name: N, because: string, doneIn: readonly OperationId[] = []) => ({
    name,
    class: errorClass,
    because,
    doneIn,
  });

const retry = ofClass('retry');
const throttled = ofClass('throttled');
const rejected = ofClass('rejected');
const misconfigured = ofClass('misconfigured');

/** The enumeration covers the whole service, and much of it lies out of reach of this API. */
const elsewhere = <N extends string>(name: N, part: string) =>
  rejected(
    name,
    `Belongs to ${part}, which no call here reaches: look at what was sent, and where.`,
  );

const cancels = ['cancelPosOrder', 'cancelOrder'] as const;

/*
 * The contract lists the codes but not which operation gives which, so each class is a reading of
 * the name, by these rules:
 *
 * - retry: the name blames nothing in the request ("can't insert", "generic", "internal"), or only
 *   what another call at the same moment can have caused. Orders, products, coupons, cancellations
 *   and keyed cashback changes may be repeated, and the message's age parks it in the end; a
 *   rejection would need a person for what an hour may heal. A redemption or a quiz answer has no
 *   key: a caller must not repeat it without a check, whatever the class.
 * - misconfigured: it would be the answer to every call alike. Only such codes, because this class
 *   holds up all calls; a code about one entity or one feature is never among them.
 * - rejected: the name says what is wrong with the request or the program: a repeat hears the same.
 *
 * The numbers are checked against the contract: one missing, doubled or made up does not compile.
 */
export const errorCodes = {
  0: elsewhere('Campaign_InvalidDateRange', 'campaign settings'),
  1: elsewhere('Campaign_Conflict', 'campaign settings'),
  2: elsewhere('Reward_PointsShouldBePositive', 'reward settings'),
  3: elsewhere('Reward_ValueShouldBePositive', 'reward settings'),
  4: elsewhere('Reward_ValueShouldBe100PercentMax', 'reward settings'),
  5: elsewhere('Reward_ValueShouldBe999ValueMax', 'reward settings'),
  6: elsewhere('Reward_PointsShouldBe9999ValueMax', 'reward settings'),
  7: rejected(
    'General_FieldCannotBeNullOrBlank',
    'A field we sent is empty: the message should name it; check the mapping and the store data.',
  ),
  8: rejected(
    'General_FieldCannotBeDefault',
    'A field we sent holds its default (zero, empty): the message should name it; check the mapping.',
  ),
  9: rejected(
    'General_BiggerThanZero',
    'An amount we sent is zero or less: check the order total and the prices.',
  ),
  10: rejected(
    'Genaral_LengthLimitExceeded',
    'A text we sent is too long; the limits are not documented. Check names, addresses, metadata.',
  ),
  11: rejected(
    'Order_OrderCompletedNeddCompletedDate',
    'A completed order without its completion date: a fault of our mapping.',
  ),
  12: rejected(
    'Order_OrderCompletedDateMustBeAfterPlacementDate',
    'The completion date is not after the placement date: compare the two in the store.',
  ),
  13: rejected(
    'Order_CompletedOrderCannotBeCancelled',
    'A cancel is then sent as a returned order; if that too is refused, cancel it in the admin panel.',
  ),
  14: rejected(
    'Order_CancelledOrderRequiresCancellationDate',
    'A cancelled order without its cancellation date: a fault of our mapping.',
  ),
  15: rejected(
    'Order_OrderCancellationDateBeforePlacementDate',
    'Cancelled before it was placed: compare the two dates in the store.',
  ),
  16: rejected(
    'Points_PointsCannotBeZero',
    'The call comes to zero points: check the amounts and the points rules in the admin panel.',
  ),
  17: elsewhere('FileUpload_NoFileReceived', 'file uploads'),
  18: elsewhere('FileUpload_MoreThanOneFileReceived', 'file uploads'),
  19: elsewhere('Objective_AmountOfPointsCannotBeLessThanOne', 'objective settings'),
  20: elsewhere('Objective_DiscountValueCannotBeLessThanOne', 'objective settings'),
  21: elsewhere('Objective_OrderMinimumValueCannotBeLessThanZero', 'objective settings'),
  22: elsewhere('Objective_DaysToWaitToGrantPointsCannotBeLessThanZero', 'objective settings'),
  23: elsewhere('Objective_CanceledStatusListMustHaveAValue', 'objective settings'),
  24: elsewhere('Objective_CompletedStatusListMustHaveAValue', 'objective settings'),
  25: elsewhere('FileUpload_InvalidFormat', 'file uploads'),
  26: elsewhere('Objective_SignupStartDateMustHaveAValidValue', 'objective settings'),
  27: elsewhere('FileUpload_FileTooLarge', 'file uploads'),
  28: elsewhere('FileUpload_InvalidDimensions', 'file uploads'),
  29: elsewhere('Account_UserAlreadyExists', 'admin panel accounts'),
  30: elsewhere('DaysToWaitToGrantPointsInvalidValue', 'objective settings'),
  31: elsewhere('OrderMinimumValueInvalidValue', 'objective settings'),
  32: elsewhere('ChangeActiveUser_UniqueAdmin', 'admin panel accounts'),
  33: rejected(
    'ApiOrder_OrderIsCancelled',
    'To a cancel: nothing left to do. To an order: cancelled there but alive in the store; compare both.',
    cancels,
  ),
  34: rejected(
    'PublicApiProductService_ObjectiveDisabled',
    'Points for purchases are switched off: see the objective in the admin panel.',
  ),
  35: retry(
    'PublicApiProductService_ErrorCalculatingPoints',
    'The service failed to calculate and blames nothing; calculating changes nothing.',
  ),
  36: retry(
    'ApiExternalOrder_Cant_Insert_Update',
    'The order was not written and nothing is blamed; sending it again is safe.',
  ),
  37: rejected(
    'ApiExternalOrder_Order_Not_Found',
    'To a cancel: nothing to cancel. Elsewhere: the service lost an order we rely on; send it again.',
    cancels,
  ),
  38: retry(
    'ApiExternalProduct_Cant_Insert_Update',
    'The product was not written and nothing is blamed; sending it again is safe.',
  ),
  39: rejected(
    'ApiExternalErro_Original_Id_Cant_Be_Null',
    'Something was sent without its OriginalId: a fault of our mapping.',
  ),
  40: retry(
    'ApiExternalCustomer_Cant_Insert',
    'Nothing is blamed; two first orders of one customer at the same time can do this.',
  ),
  41: retry(
    'ApiExternalCustomer_Cant_Update',
    'Nothing is blamed; two orders of one customer at the same time can do this.',
  ),
  42: misconfigured(
    'ApiReviewsKeysValidation',
    'The keys did not pass, as those of a reviews partner: check which API keys the shop is set up with.',
  ),
  43: retry(
    'ApiExternalRewardConfiguration_Error',
    'Rewards could not be handled and nothing is blamed; reading changes nothing.',
  ),
  44: retry(
    'ApiExternalRewardConfiguration_Get_Error',
    'A reward could not be read and nothing is blamed; if it stays, check that its id exists.',
  ),
  45: rejected(
    'ApiExternal_Error_Page_Size',
    'More than 50 items per page were asked for: a fault of the caller.',
  ),
  46: rejected(
    'ApiExternalRewardRedeem_Error_Customer_not_Found',
    'The service does not know the customer: check the id, and that an order of theirs was sent.',
  ),
  47: rejected(
    'ApiExternalRewardRedeem_Error_Unable_to_Reedem',
    'A redemption has no key, so a repeat may redeem twice: check points, limits and tier by hand.',
  ),
  48: rejected(
    'ApiExternalObjective_not_found',
    'The objective does not exist: compare its id with the admin panel.',
  ),
  49: rejected(
    'ApiExternalObjective_inactive',
    'The objective is switched off in the admin panel: the merchant must want it on.',
  ),
  50: rejected(
    'ApiExternalCustomer_document_email_empty',
    'The customer has neither document nor e-mail (usual at a till): set a source for the document.',
  ),
  51: rejected(
    'ApiExternalCustomer_documen_AlphaNumeric_only',
    'The document has signs other than letters and digits: check its source in the store.',
  ),
  52: rejected(
    'ApiExternalAffiliate_coupon_empty',
    'An affiliate without a coupon: see the affiliate in the admin panel.',
  ),
  53: rejected(
    'ApiExternalCustomObjective_max_bonification_reached',
    'The customer has had all that this objective gives: as the program wants it.',
  ),
  54: rejected(
    'ApiExternalObjective_type_incorrect',
    'The objective is of another type than this call needs: see it in the admin panel.',
  ),
  55: rejected(
    'ApiExternalCoupon_Customer_Not_Found',
    "The service does not know the coupon's customer: check that Customer went along with the coupon.",
  ),
  56: retry(
    'ApiExternalCoupon_Cant_Update_Coupon',
    'The coupon was not written and nothing is blamed; if it stays, see if it was used there.',
  ),
  57: rejected(
    'ApiExternalCoupon_Not_found',
    'To a deactivation: nothing to deactivate. Elsewhere: compare the code with the admin panel.',
    ['deactivateCoupon'],
  ),
  58: elsewhere('Referral_FriendAlreadyExists', 'referrals'),
  59: rejected(
    'Customer_NotFound',
    'The service does not know the customer: check the id, and that an order of theirs was sent.',
  ),
  60: rejected('Tier_NotFound', 'The tier does not exist: see the tiers in the admin panel.'),
  61: elsewhere('TierBenefit_Reward_Required', 'tier settings'),
  62: rejected(
    'ChangePoints_CannotAddPointsWithWrongOperationType',
    'Sign and OperationType disagree: 0 adds a Value above zero, 1 removes with one below zero.',
  ),
  63: rejected(
    'ChangePoints_CannotRemovePointsWithWrongOperationType',
    'Sign and OperationType disagree: 0 adds a Value above zero, 1 removes with one below zero.',
  ),
  64: rejected(
    'ChangePoints_CannotBeZeroPoints',
    'A change of zero: there was nothing to send; check the caller.',
  ),
  65: rejected(
    'ChangePoints_ChangeKeyCannotBeNull',
    'A change without its ChangeKey: a fault of the caller.',
  ),
  66: rejected(
    'ChangePoints_ChangeKeyAlreadyExists',
    'To a cashback change: this very change was made. Elsewhere: two changes share a key.',
    ['changeCashback'],
  ),
  67: rejected(
    'ChangePoints_ReasonCannotBeNullOrBlank',
    'A change without its Reason: a fault of the caller.',
  ),
  68: retry(
    'ApiCustomer_InsertAlreadyExists',
    'We add customers only with orders and coupons: another came first, and a repeat finds it.',
  ),
  69: rejected(
    'ApiCustomer_ChangeCashback_Inactive',
    'Cashback is switched off, for the program or the customer: see the admin panel.',
  ),
  70: rejected(
    'ApiCustomer_RedeemCashback_Error',
    "A repeat may redeem twice: compare the customer's balance first.",
  ),
  71: rejected(
    'ImportCoupons_AllCouponsAlreadyExists',
    'The codes exist, perhaps with other values: compare them in the admin panel.',
  ),
  72: rejected(
    'ApiCustomer_CannotChangeBirthday',
    'The birthday differs from the recorded one, which is fixed: correct it in the store or there.',
  ),
  73: rejected(
    'ApiRewardCancel_NotFound',
    'The service does not know the redemption: compare its id with the admin panel.',
  ),
  74: rejected(
    'ApiRewardCancel_AlreadyCanceled',
    'To a cancellation of a redemption: nothing left to do, the points are back.',
    ['cancelRedemption', 'cancelRedemptionByKey'],
  ),
  75: retry(
    'ApiRewardCancel_InternalError',
    'Internal by its own name, and cancelling a redemption is safe to repeat.',
  ),
  76: misconfigured(
    'ApiPartnerKeysValidation',
    'The keys did not pass, as those of a partner: check which API keys the shop is set up with.',
  ),
  77: retry(
    'GenericError',
    'Says nothing at all; if it stays for one entity only, look at that entity.',
  ),
  78: elsewhere('Account_UserWithoutLastName', 'admin panel accounts'),
  79: misconfigured(
    'ApiDomain_NotFound',
    'The service does not know the domain: check its base address, and that the shop is still set up.',
  ),
  80: misconfigured(
    'ApiTenant_NotFound',
    'The service does not know the merchant: check API token, base address and that the account lives.',
  ),
  81: misconfigured(
    'PdvUser_InvalidCredentials',
    'The credentials are wrong: check API token and key, and that they were not replaced.',
  ),
  82: rejected(
    'ApiReward_NoActiveRewards',
    'No reward is active: see the rewards in the admin panel.',
  ),
  83: elsewhere('PdvReward_CustomerMismatch', 'rewards at the till'),
  84: elsewhere('PdvReward_CoupomNotFound', 'rewards at the till'),
  85: elsewhere('PdvReward_CoupomAlreadyUsed', 'rewards at the till'),
  86: elsewhere('PdvReward_CoupomAlreadyRefunded', 'rewards at the till'),
  87: rejected(
    'PdvReward_RewardNotFound',
    'No reward with this id or key: compare it with the admin panel.',
  ),
  88: rejected(
    'PdvReward_PurchaseValueInvalid',
    'The value of the purchase is not acceptable: check the amounts of the cart.',
  ),
  89: rejected(
    'PdvReward_CashbackValueInvalid',
    'The amount of cashback is not acceptable: compare it with what the service offers.',
  ),
  90: rejected(
    'PdvUser_NotFound',
    'A till user is unknown, on this order at least: check its SalesPerson.',
  ),
  91: retry(
    'PdvUser_NotInserted',
    'A till user was not written and nothing is blamed; sending the order again is safe.',
  ),
  92: rejected(
    'PdvOrder_WrongAmountOfPoints',
    'The points of a till order do not add up: compare the order with the admin panel.',
  ),
  93: rejected(
    'PdvOrder_ExcededMaxValue',
    'A till order is above the highest value allowed: see the limit in the admin panel.',
  ),
  94: rejected(
    'PdvOrder_NotEnoughPoints',
    'The customer has too few points for this till order: compare with the admin panel.',
  ),
  95: rejected(
    'PdvOrder_OrderIdAlreadyExists',
    'An order sent again was not taken as an update, as we assume it is: see the assumptions.',
  ),
  96: retry(
    'PdvOrder_CreationError',
    'The till order was not written and nothing is blamed; sending it again is safe.',
  ),
  97: retry(
    'PdvOrder_CancellationError',
    'The till order was not cancelled and nothing is blamed; cancelling again is safe.',
  ),
  98: rejected(
    'PdvOrder_NotFound',
    'Unknown as a till order, but it may exist as another kind, with points: look before calling it done.',
  ),
  99: rejected(
    'PdvOrder_CustomerMismatch',
    'The order belongs to another customer there: compare both in the admin panel.',
  ),
  100: rejected(
    'PdvOrder_OriginalIdUpdateError',
    "We never change an order's id: find out what else writes orders.",
  ),
  101: retry(
    'PdvBranch_NotInserted',
    'A branch was not written and nothing is blamed; sending the order again is safe.',
  ),
  102: retry(
    'PdvBranch_OriginalIdAlreadyExists',
    'We add branches only with orders: another came first, and a repeat finds it.',
  ),
  103: throttled(
    'Too_Many_Requests',
    'Too many calls; the limit is not documented. If it stays, lower the number of parallel calls.',
  ),
  104: elsewhere('PdvCustomer_AlreadyCompleted', 'registration at the till'),
  105: rejected(
    'Quiz_QuizNotFound',
    'The quiz or its question does not exist: see the quizzes in the admin panel.',
  ),
  106: rejected(
    'Quiz_MinimumAmountOfOptions',
    'Too few options: compare the answer with the quiz in the admin panel.',
  ),
  107: rejected(
    'Quiz_MaximumAmountOfOptions',
    'Too many options: compare the answer with the quiz in the admin panel.',
  ),
  108: rejected(
    'Quiz_MaximumAmountOfQuestions',
    'Too many questions: compare the answer with the quiz in the admin panel.',
  ),
  109: elsewhere('BillingGroupParticipants_ParticipantTenantIdIsActive', 'billing'),
  110: elsewhere('BillingGroup_BillingGroupTenantIdIsActive', 'billing'),
  111: elsewhere('BillingGroup_DuplicateTenantId', 'billing'),
  112: retry(
    'AffiliateCouponGenericError',
    "Generic by its own name; if it stays, see the affiliate's coupon in the admin panel.",
  ),
  113: rejected(
    'AffiliateCouponNoExistsInPlatform',
    "The affiliate's coupon is missing in the store: create it there or take it off the affiliate.",
  ),
  114: rejected(
    'AffiliateSettingsNotExist',
    'Affiliates are not set up in the admin panel; everything else still passes.',
  ),
  115: elsewhere('EndDate_ManageAdditionalBonuses', 'bonus settings'),
  116: elsewhere('AdditionalBonuses_ManageAdditionalBonuses', 'bonus settings'),
  117: misconfigured(
    'Reinstall_The_App',
    'The service has lost its hold on the store: its app must be installed again by the merchant.',
  ),
  118: rejected(
    'NewCustomer_EmailAlreadyUsed',
    'Another customer there has this e-mail: look for two accounts of one person.',
  ),
  119: rejected(
    'NewCustomer_DocumentAlreadyUsed',
    'Another customer there has this document: look for two accounts of one person.',
  ),
  120: elsewhere('WebhookSubscription_TopicRequired', 'webhook subscriptions'),
} satisfies Record<ErrorNumber, ErrorCode>;

export type LoyaltyErrorName = (typeof errorCodes)[ErrorNumber]['name'];

/** Undefined for a number that the contract does not have: the service may grow new ones. */
export function findErrorCode(code: number): (typeof errorCodes)[ErrorNumber] | undefined {
  return Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorNumber] : undefined;
}

/** A number we do not know is for a person: repeating the call may not be harmless. */
export function classify(code: number, operation: OperationId): ErrorClass {
  const known = findErrorCode(code);
  if (known === undefined) return 'rejected';
  return known.doneIn.includes(operation) ? 'done' : known.class;
}
