CREATE TABLE "key_calls" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "key_calls_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"surface" text NOT NULL,
	"operation" text NOT NULL,
	"status" smallint NOT NULL,
	"ms" real NOT NULL,
	"request_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "key_outcomes" (
	"key_id" text NOT NULL,
	"day" date NOT NULL,
	"surface" text NOT NULL,
	"operation" text NOT NULL,
	"status" smallint NOT NULL,
	"calls" bigint NOT NULL,
	CONSTRAINT "key_outcomes_key_id_day_surface_operation_status_pk" PRIMARY KEY("key_id","day","surface","operation","status")
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"user_id" text,
	"email" text,
	"details" jsonb NOT NULL,
	"state" text NOT NULL,
	"problem" text,
	"created_at" timestamp with time zone NOT NULL,
	"attempted_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "sign_in_links" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "keys" ADD COLUMN "ends_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "key_calls" ADD CONSTRAINT "key_calls_key_id_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_outcomes" ADD CONSTRAINT "key_outcomes_key_id_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "key_calls_key" ON "key_calls" USING btree ("key_id","at");--> statement-breakpoint
CREATE INDEX "key_calls_at" ON "key_calls" USING btree ("at");--> statement-breakpoint
CREATE INDEX "key_outcomes_day" ON "key_outcomes" USING btree ("day");--> statement-breakpoint
CREATE INDEX "mails_user" ON "mails" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "mails_created" ON "mails" USING btree ("created_at");