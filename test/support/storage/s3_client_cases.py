"""Cases of boto3 against the S3-compatible interface that the environment names. Prints `done`."""

import hashlib
import io

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.exceptions import ClientError

BUCKET = "vol-datasets"
s3 = boto3.client("s3")


def refused(code, call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        found = error.response["Error"]["Code"]
        assert found == code, f"{found}, not {code}"
    else:
        raise AssertionError(f"not refused: {code}")


assert [each["Name"] for each in s3.list_buckets()["Buckets"]] == [BUCKET]
s3.head_bucket(Bucket=BUCKET)

for number in range(7):
    s3.put_object(Bucket=BUCKET, Key=f"p/{number} é", Body=b"x" * number)
pages = s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix="p/", PaginationConfig={"PageSize": 2})
assert [item["Size"] for page in pages for item in page["Contents"]] == list(range(7))
old = s3.get_paginator("list_objects").paginate(Bucket=BUCKET, Prefix="p/", PaginationConfig={"PageSize": 3})
assert [item["Size"] for page in old for item in page["Contents"]] == list(range(7))

body = bytes(range(256)) * 60_000
config = TransferConfig(multipart_threshold=6_291_456, multipart_chunksize=6_291_456)
s3.upload_fileobj(io.BytesIO(body), BUCKET, "big", Config=config)
head = s3.head_object(Bucket=BUCKET, Key="big")
parts = [hashlib.md5(body[at : at + 6_291_456]).digest() for at in range(0, len(body), 6_291_456)]
assert head["ETag"] == f'"{hashlib.md5(b"".join(parts)).hexdigest()}-{len(parts)}"'
copy = io.BytesIO()
s3.download_fileobj(BUCKET, "big", copy, Config=config)
assert copy.getvalue() == body
assert s3.get_object(Bucket=BUCKET, Key="big", Range="bytes=1000-1999")["Body"].read() == body[1000:2000]
s3.copy_object(Bucket=BUCKET, Key="copy", CopySource={"Bucket": BUCKET, "Key": "big"})
assert s3.head_object(Bucket=BUCKET, Key="copy")["ContentLength"] == len(body)

upload = s3.create_multipart_upload(Bucket=BUCKET, Key="left")["UploadId"]
s3.upload_part(Bucket=BUCKET, Key="left", UploadId=upload, PartNumber=1, Body=b"part")
assert [each["Key"] for each in s3.list_multipart_uploads(Bucket=BUCKET)["Uploads"]] == ["left"]
assert [each["Size"] for each in s3.list_parts(Bucket=BUCKET, Key="left", UploadId=upload)["Parts"]] == [4]
s3.abort_multipart_upload(Bucket=BUCKET, Key="left", UploadId=upload)
assert "Uploads" not in s3.list_multipart_uploads(Bucket=BUCKET)

for key in ("big", "copy"):
    s3.delete_object(Bucket=BUCKET, Key=key)
refused("404", s3.head_object, Bucket=BUCKET, Key="big")
refused("NoSuchKey", s3.get_object, Bucket=BUCKET, Key="big")
refused("NotImplemented", s3.delete_objects, Bucket=BUCKET, Delete={"Objects": [{"Key": "p/1"}]})
refused("NotImplemented", s3.create_bucket, Bucket="other-bucket")
print("done")
