CREATE TABLE "billing_customers" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text,
	"asked" integer DEFAULT 0 NOT NULL,
	"answered" integer DEFAULT 0 NOT NULL,
	"checkout_id" text,
	"checkout_at" timestamp with time zone,
	"checkouts" integer DEFAULT 0 NOT NULL,
	"compared_at" timestamp with time zone,
	"next_at" timestamp with time zone,
	"leased_until" timestamp with time zone,
	"deleted_at" timestamp with time zone,
	"closed_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_events" (
	"id" text PRIMARY KEY NOT NULL,
	"received_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "billing_subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"customer_id" text NOT NULL,
	"status" text NOT NULL,
	"price_id" text NOT NULL,
	"ends_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"ended_by_failure" boolean NOT NULL,
	"first_paid_at" timestamp with time zone,
	"paid_until" timestamp with time zone,
	"refunded" boolean NOT NULL,
	"premium_until" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
-- Until now every plan was one that an administrator granted.
ALTER TABLE "users" RENAME COLUMN "plan" TO "granted_plan";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "paid_plan" text DEFAULT 'standard' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "plan" text GENERATED ALWAYS AS (case when granted_plan = 'premium' or paid_plan = 'premium' then 'premium' else 'standard' end) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "billing_customers" ADD CONSTRAINT "billing_customers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_subscriptions" ADD CONSTRAINT "billing_subscriptions_customer_id_billing_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."billing_customers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "billing_customers_user" ON "billing_customers" USING btree ("user_id") WHERE "billing_customers"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "billing_customers_next" ON "billing_customers" USING btree ("next_at");--> statement-breakpoint
CREATE INDEX "billing_events_received" ON "billing_events" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "billing_subscriptions_customer" ON "billing_subscriptions" USING btree ("customer_id");--> statement-breakpoint
CREATE INDEX "billing_subscriptions_until" ON "billing_subscriptions" USING btree ("premium_until");