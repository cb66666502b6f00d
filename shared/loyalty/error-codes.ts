import type { components } from './contract.gen.ts';
import type { OperationId } from './operations.ts';

/** What the connector does about a failed call. */
export type ErrorClass = 'done' | 'retry' | 'throttled' | 'rejected' | 'misconfigured';

export type ErrorNumber = components['schemas']['ErrorCode'];

/**
 * In the service's own spelling, mistakes included. The numbers are checked against the contract: one missing,
 * doubled or made up does not compile. What a person can do about each is in error-advice.ts, which no function loads.
 */
export const errorNames = {
  0: 'Campaign_InvalidDateRange',
  1: 'Campaign_Conflict',
  2: 'Reward_PointsShouldBePositive',
  3: 'Reward_ValueShouldBePositive',
  4: 'Reward_ValueShouldBe100PercentMax',
  5: 'Reward_ValueShouldBe999ValueMax',
  6: 'Reward_PointsShouldBe9999ValueMax',
  7: 'General_FieldCannotBeNullOrBlank',
  8: 'General_FieldCannotBeDefault',
  9: 'General_BiggerThanZero',
  10: 'Genaral_LengthLimitExceeded',
  11: 'Order_OrderCompletedNeddCompletedDate',
  12: 'Order_OrderCompletedDateMustBeAfterPlacementDate',
  13: 'Order_CompletedOrderCannotBeCancelled',
  14: 'Order_CancelledOrderRequiresCancellationDate',
  15: 'Order_OrderCancellationDateBeforePlacementDate',
  16: 'Points_PointsCannotBeZero',
  17: 'FileUpload_NoFileReceived',
  18: 'FileUpload_MoreThanOneFileReceived',
  19: 'Objective_AmountOfPointsCannotBeLessThanOne',
  20: 'Objective_DiscountValueCannotBeLessThanOne',
  21: 'Objective_OrderMinimumValueCannotBeLessThanZero',
  22: 'Objective_DaysToWaitToGrantPointsCannotBeLessThanZero',
  23: 'Objective_CanceledStatusListMustHaveAValue',
  24: 'Objective_CompletedStatusListMustHaveAValue',
  25: 'FileUpload_InvalidFormat',
  26: 'Objective_SignupStartDateMustHaveAValidValue',
  27: 'FileUpload_FileTooLarge',
  28: 'FileUpload_InvalidDimensions',
  29: 'Account_UserAlreadyExists',
  30: 'DaysToWaitToGrantPointsInvalidValue',
  31: 'OrderMinimumValueInvalidValue',
  32: 'ChangeActiveUser_UniqueAdmin',
  33: 'ApiOrder_OrderIsCancelled',
  34: 'PublicApiProductService_ObjectiveDisabled',
  35: 'PublicApiProductService_ErrorCalculatingPoints',
  36: 'ApiExternalOrder_Cant_Insert_Update',
  37: 'ApiExternalOrder_Order_Not_Found',
  38: 'ApiExternalProduct_Cant_Insert_Update',
  39: 'ApiExternalErro_Original_Id_Cant_Be_Null',
  40: 'ApiExternalCustomer_Cant_Insert',
  41: 'ApiExternalCustomer_Cant_Update',
  42: 'ApiReviewsKeysValidation',
  43: 'ApiExternalRewardConfiguration_Error',
  44: 'ApiExternalRewardConfiguration_Get_Error',
  45: 'ApiExternal_Error_Page_Size',
  46: 'ApiExternalRewardRedeem_Error_Customer_not_Found',
  47: 'ApiExternalRewardRedeem_Error_Unable_to_Reedem',
  48: 'ApiExternalObjective_not_found',
  49: 'ApiExternalObjective_inactive',
  50: 'ApiExternalCustomer_document_email_empty',
  51: 'ApiExternalCustomer_documen_AlphaNumeric_only',
  52: 'ApiExternalAffiliate_coupon_empty',
  53: 'ApiExternalCustomObjective_max_bonification_reached',
  54: 'ApiExternalObjective_type_incorrect',
  55: 'ApiExternalCoupon_Customer_Not_Found',
  56: 'ApiExternalCoupon_Cant_Update_Coupon',
  57: 'ApiExternalCoupon_Not_found',
  58: 'Referral_FriendAlreadyExists',
  59: 'Customer_NotFound',
  60: 'Tier_NotFound',
  61: 'TierBenefit_Reward_Required',
  62: 'ChangePoints_CannotAddPointsWithWrongOperationType',
  63: 'ChangePoints_CannotRemovePointsWithWrongOperationType',
  64: 'ChangePoints_CannotBeZeroPoints',
  65: 'ChangePoints_ChangeKeyCannotBeNull',
  66: 'ChangePoints_ChangeKeyAlreadyExists',
  67: 'ChangePoints_ReasonCannotBeNullOrBlank',
  68: 'ApiCustomer_InsertAlreadyExists',
  69: 'ApiCustomer_ChangeCashback_Inactive',
  70: 'ApiCustomer_RedeemCashback_Error',
  71: 'ImportCoupons_AllCouponsAlreadyExists',
  72: 'ApiCustomer_CannotChangeBirthday',
  73: 'ApiRewardCancel_NotFound',
  74: 'ApiRewardCancel_AlreadyCanceled',
  75: 'ApiRewardCancel_InternalError',
  76: 'ApiPartnerKeysValidation',
  77: 'GenericError',
  78: 'Account_UserWithoutLastName',
  79: 'ApiDomain_NotFound',
  80: 'ApiTenant_NotFound',
  81: 'PdvUser_InvalidCredentials',
  82: 'ApiReward_NoActiveRewards',
  83: 'PdvReward_CustomerMismatch',
  84: 'PdvReward_CoupomNotFound',
  85: 'PdvReward_CoupomAlreadyUsed',
  86: 'PdvReward_CoupomAlreadyRefunded',
  87: 'PdvReward_RewardNotFound',
  88: 'PdvReward_PurchaseValueInvalid',
  89: 'PdvReward_CashbackValueInvalid',
  90: 'PdvUser_NotFound',
  91: 'PdvUser_NotInserted',
  92: 'PdvOrder_WrongAmountOfPoints',
  93: 'PdvOrder_ExcededMaxValue',
  94: 'PdvOrder_NotEnoughPoints',
  95: 'PdvOrder_OrderIdAlreadyExists',
  96: 'PdvOrder_CreationError',
  97: 'PdvOrder_CancellationError',
  98: 'PdvOrder_NotFound',
  99: 'PdvOrder_CustomerMismatch',
  100: 'PdvOrder_OriginalIdUpdateError',
  101: 'PdvBranch_NotInserted',
  102: 'PdvBranch_OriginalIdAlreadyExists',
  103: 'Too_Many_Requests',
  104: 'PdvCustomer_AlreadyCompleted',
  105: 'Quiz_QuizNotFound',
  106: 'Quiz_MinimumAmountOfOptions',
  107: 'Quiz_MaximumAmountOfOptions',
  108: 'Quiz_MaximumAmountOfQuestions',
  109: 'BillingGroupParticipants_ParticipantTenantIdIsActive',
  110: 'BillingGroup_BillingGroupTenantIdIsActive',
  111: 'BillingGroup_DuplicateTenantId',
  112: 'AffiliateCouponGenericError',
  113: 'AffiliateCouponNoExistsInPlatform',
  114: 'AffiliateSettingsNotExist',
  115: 'EndDate_ManageAdditionalBonuses',
  116: 'AdditionalBonuses_ManageAdditionalBonuses',
  117: 'Reinstall_The_App',
  118: 'NewCustomer_EmailAlreadyUsed',
  119: 'NewCustomer_DocumentAlreadyUsed',
  120: 'WebhookSubscription_TopicRequired',
} as const satisfies Record<ErrorNumber, string>;

export type LoyaltyErrorName = (typeof errorNames)[ErrorNumber];

/*
 * The contract lists the codes but not which operation gives which, so each class is a reading of
 * the name, by these rules:
 *
 * - retry: the name blames nothing in the request ("can't insert", "generic", "internal"), or only
 *   what another call at the same moment can have caused. Orders, products, coupons, cancellations
 *   and keyed cashback changes may be repeated, and the message's age parks it in the end; a
 *   rejection would need a person for what an hour may heal. A redemption or a quiz answer has no
 *   key: a caller must not repeat it without a check, in any class.
 * - misconfigured: it would be the answer to every call alike. Only such codes, because this class
 *   holds up all calls; a code about one entity or one feature is never among them.
 * - rejected: the name says what is wrong with the request or the program: a repetition gets the same answer.
 */
const classes: Readonly<
  Partial<Record<LoyaltyErrorName, Exclude<ErrorClass, 'done' | 'rejected'>>>
> = {
  PublicApiProductService_ErrorCalculatingPoints: 'retry',
  ApiExternalOrder_Cant_Insert_Update: 'retry',
  ApiExternalProduct_Cant_Insert_Update: 'retry',
  ApiExternalCustomer_Cant_Insert: 'retry',
  ApiExternalCustomer_Cant_Update: 'retry',
  ApiExternalRewardConfiguration_Error: 'retry',
  ApiExternalRewardConfiguration_Get_Error: 'retry',
  ApiExternalCoupon_Cant_Update_Coupon: 'retry',
  ApiCustomer_InsertAlreadyExists: 'retry',
  ApiRewardCancel_InternalError: 'retry',
  GenericError: 'retry',
  PdvUser_NotInserted: 'retry',
  PdvOrder_CreationError: 'retry',
  PdvOrder_CancellationError: 'retry',
  PdvBranch_NotInserted: 'retry',
  PdvBranch_OriginalIdAlreadyExists: 'retry',
  AffiliateCouponGenericError: 'retry',
  Too_Many_Requests: 'throttled',
  ApiReviewsKeysValidation: 'misconfigured',
  ApiPartnerKeysValidation: 'misconfigured',
  ApiDomain_NotFound: 'misconfigured',
  ApiTenant_NotFound: 'misconfigured',
  PdvUser_InvalidCredentials: 'misconfigured',
  Reinstall_The_App: 'misconfigured',
};

const cancels = ['cancelPosOrder', 'cancelOrder'] as const;

/** Operations for which this answer means that the wanted state is already there. */
const doneIn: Readonly<Partial<Record<LoyaltyErrorName, readonly OperationId[]>>> = {
  ApiOrder_OrderIsCancelled: cancels,
  ApiExternalOrder_Order_Not_Found: cancels,
  ApiExternalCoupon_Not_found: ['deactivateCoupon'],
  ChangePoints_ChangeKeyAlreadyExists: ['changeCashback', 'changePoints'],
  ApiRewardCancel_AlreadyCanceled: ['cancelRedemption', 'cancelRedemptionByKey'],
};

/** Undefined for a number that the contract does not have: the service may grow new ones. */
export function nameOfError(code: number): LoyaltyErrorName | undefined {
  return Object.hasOwn(errorNames, code) ? errorNames[code as ErrorNumber] : undefined;
}

/** A number we do not know is for a person: repeating the call may not be harmless. */
export function classify(code: number, operation: OperationId): ErrorClass {
  const name = nameOfError(code);
  if (name === undefined) return 'rejected';
  return doneIn[name]?.includes(operation) ? 'done' : (classes[name] ?? 'rejected');
}
