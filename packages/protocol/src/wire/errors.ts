import type { ResourceRequestParams } from '../resource/commands.ts';

export interface PermissionDeniedErrorData {
  request?: ResourceRequestParams;
}

export interface UnsupportedProtocolVersionErrorData {
  supportedVersions: string[];
}
