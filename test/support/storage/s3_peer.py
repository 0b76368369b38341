"""A storage service (moto) and a second client (boto3, botocore) for the tests of object storage.

Prints one line of JSON, {"endpoint": ...}; then answers each line of JSON on stdin with one on stdout. Ends with stdin.
"""

import base64
import hashlib
import json
import logging
import sys

import boto3
import moto.s3.models
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from moto.core import DEFAULT_ACCOUNT_ID
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
# So that the tests can write parts of a few bytes.
moto.s3.models.S3_UPLOAD_PART_MIN_SIZE = 1
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
endpoint = f"http://{host}:{port}"
client = boto3.client(
    "s3",
    endpoint_url=endpoint,
    region_name="us-east-1",
    aws_access_key_id="test-id",
    aws_secret_access_key="test-secret",
    config=Config(s3={"addressing_style": "path"}),
)


def put(bucket, key, body):
    client.put_object(Bucket=bucket, Key=key, Body=base64.b64decode(body))


def put_many(bucket, keys):
    """Without requests: thousands of them would take long."""
    for key in keys:
        moto.s3.models.s3_backends[DEFAULT_ACCOUNT_ID]["aws"].put_object(bucket, key, b"x")


def get(bucket, key):
    return base64.b64encode(client.get_object(Bucket=bucket, Key=key)["Body"].read()).decode()


def sha256(bucket, key):
    """Of an object: megabytes in JSON would take long."""
    return hashlib.sha256(client.get_object(Bucket=bucket, Key=key)["Body"].read()).hexdigest()


def keys(bucket):
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    return [item["Key"] for page in pages for item in page.get("Contents", [])]


def uploads(bucket):
    return len(client.list_multipart_uploads(Bucket=bucket).get("Uploads", []))


def create_bucket(bucket):
    client.create_bucket(Bucket=bucket)


def sign(method, url, headers, body, time, region, token):
    """Signs as botocore does, at a given time, and returns the authorization header."""

    class FixedTime(S3SigV4Auth):
        def _set_timestamp(self, request):
            request.context["timestamp"] = time

        def add_auth(self, request):
            request.context["timestamp"] = time
            self._modify_request_before_signing(request)
            canonical = self.canonical_request(request)
            text = self.string_to_sign(request, canonical)
            self._inject_signature_to_request(request, self.signature(text, request))

    request = AWSRequest(method=method, url=url, headers=headers, data=base64.b64decode(body))
    request.context["payload_signing_enabled"] = True
    request.headers["X-Amz-Content-SHA256"] = "placeholder"
    FixedTime(Credentials("test-id", "test/secret+", token), "s3", region).add_auth(request)
    return request.headers["Authorization"]


OPERATIONS = {each.__name__: each for each in (put, put_many, get, sha256, keys, uploads, create_bucket, sign)}

print(json.dumps({"endpoint": endpoint}), flush=True)
for line in sys.stdin:
    call = json.loads(line)
    try:
        print(json.dumps({"result": OPERATIONS[call["name"]](*call["arguments"])}), flush=True)
    except Exception as error:  # the test shows it
        print(json.dumps({"error": repr(error)}), flush=True)
server.stop()
