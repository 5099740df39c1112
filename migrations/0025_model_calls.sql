CREATE TABLE "model_calls" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "model_calls_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"purpose" text NOT NULL,
	"model" text NOT NULL,
	"failure" text,
	"milliseconds" integer NOT NULL,
	"input_tokens" integer,
	"output_tokens" integer,
	"cost" double precision,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "support_messages" ADD COLUMN "not_answered" text;--> statement-breakpoint
CREATE INDEX "model_calls_created" ON "model_calls" USING btree ("created_at");