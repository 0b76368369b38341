/** Where the service keeps the parts of unfinished uploads (storage contract). They are no files of the user. */
export const UPLOADS = '.s3compat_uploads/';
