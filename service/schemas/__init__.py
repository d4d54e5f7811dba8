"""What the service takes and answers, as marshmallow schemas: validation and OpenAPI from one definition."""
